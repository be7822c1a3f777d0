#include "server/jwt_key.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <optional>
#include <span>
#include <utility>

#include "core/hash.hpp"

namespace annals::server {

namespace {

constexpr std::size_t min_secret_bytes = 32;
constexpr std::size_t max_file_bytes = std::size_t{64} * 1024;
constexpr std::size_t hs256_bytes = 32;
constexpr std::size_t ed25519_bytes = 64;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::unexpected<Error> unusable(const std::filesystem::path& file, std::string_view reason) {
  return fail(ErrorCode::invalid_request,
              "the file " + file.string() + " cannot be used for tokens: " + std::string{reason});
}

/// The content; `nullopt` when it cannot be read or is too large to be a key.
std::optional<std::string> content_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  std::string content(max_file_bytes + 1, '\0');
  if (!in || (!in.read(content.data(), static_cast<std::streamsize>(content.size())) && !in.eof()))
    return std::nullopt;
  content.resize(static_cast<std::size_t>(in.gcount()));
  if (content.size() > max_file_bytes) return std::nullopt;
  return content;
}

/// Instead of asking on the terminal: a public key has no password.
int no_password(char* /*out*/, int /*size*/, int /*writing*/, void* /*unused*/) {
  return -1;
}

struct FreeBio {
  void operator()(BIO* bio) const noexcept { BIO_free(bio); }
};

struct FreeDigest {
  void operator()(EVP_MD_CTX* digest) const noexcept { EVP_MD_CTX_free(digest); }
};

bool hs256_signs(std::string_view secret, std::string_view text, std::string_view signature) {
  std::array<unsigned char, hs256_bytes> expected{};
  unsigned size = 0;
  const auto* made = HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
                          bytes_of(text), text.size(), expected.data(), &size);
  return made != nullptr &&
         core::equal_constant_time(expected, std::span{bytes_of(signature), signature.size()});
}

bool ed25519_signs(EVP_PKEY* key, std::string_view text, std::string_view signature) {
  if (signature.size() != ed25519_bytes) return false;
  const std::unique_ptr<EVP_MD_CTX, FreeDigest> digest{EVP_MD_CTX_new()};
  const bool signs = digest &&
                     EVP_DigestVerifyInit(digest.get(), nullptr, nullptr, nullptr, key) == 1 &&
                     EVP_DigestVerify(digest.get(), bytes_of(signature), signature.size(),
                                      bytes_of(text), text.size()) == 1;
  // What is said of a bad signature must not be found by whoever asks OpenSSL next.
  ERR_clear_error();
  return signs;
}

}  // namespace

std::string_view to_string(JwtAlgorithm algorithm) noexcept {
  return algorithm == JwtAlgorithm::hs256 ? "HS256" : "EdDSA";
}

void JwtKey::FreeKey::operator()(evp_pkey_st* key) const noexcept {
  EVP_PKEY_free(key);
}

Result<JwtKey> JwtKey::load(JwtAlgorithm algorithm, const std::filesystem::path& file) {
  auto content = content_of(file);
  if (!content) return unusable(file, "it cannot be read, or has more than 64 KiB");
  JwtKey key{algorithm};
  if (algorithm == JwtAlgorithm::hs256) {
    if (content->ends_with('\n')) content->pop_back();
    if (content->size() < min_secret_bytes) {
      return unusable(file, "a secret of HS256 has at least 32 bytes");
    }
    key.secret_ = *std::move(content);
    return key;
  }
  const std::unique_ptr<BIO, FreeBio> bio{
      BIO_new_mem_buf(content->data(), static_cast<int>(content->size()))};
  if (bio) key.public_key_.reset(PEM_read_bio_PUBKEY(bio.get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  if (!key.public_key_ || EVP_PKEY_base_id(key.public_key_.get()) != EVP_PKEY_ED25519) {
    return unusable(file, "EdDSA needs a public key of Ed25519 as PEM");
  }
  return key;
}

bool JwtKey::signs(std::string_view text, std::string_view signature) const {
  return algorithm_ == JwtAlgorithm::hs256 ? hs256_signs(secret_, text, signature)
                                           : ed25519_signs(public_key_.get(), text, signature);
}

}  // namespace annals::server
