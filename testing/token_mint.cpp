#include "testing/token_mint.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>

namespace annals::test {

namespace {

constexpr std::size_t secret_bytes = 48;

void require(bool good) {
  if (!good) throw std::runtime_error("OpenSSL makes no token");
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string public_pem(EVP_PKEY* key) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio{BIO_new(BIO_s_mem()), BIO_free};
  require(bio && PEM_write_bio_PUBKEY(bio.get(), key) == 1);
  char* text = nullptr;
  const auto size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

}  // namespace

void TokenMint::FreeKey::operator()(evp_pkey_st* key) const noexcept {
  EVP_PKEY_free(key);
}

TokenMint::TokenMint(Algorithm algorithm) : algorithm_(algorithm) {
  std::ofstream file{key_file(), std::ios::binary};
  if (algorithm == Algorithm::hs256) {
    std::array<unsigned char, secret_bytes> random{};
    require(RAND_bytes(random.data(), static_cast<int>(random.size())) == 1);
    secret_ = base64url({reinterpret_cast<const char*>(random.data()), random.size()});
    file << secret_ << '\n';
    return;
  }
  private_.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  require(private_ != nullptr);
  file << public_pem(private_.get());
}

std::string TokenMint::name() const {
  return algorithm_ == Algorithm::hs256 ? "HS256" : "EdDSA";
}

std::string TokenMint::sign(std::string_view text) const {
  std::string out(EVP_MAX_MD_SIZE, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(out.data());
  if (algorithm_ == Algorithm::hs256) {
    unsigned size = 0;
    require(HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()), bytes_of(text),
                 text.size(), bytes, &size) != nullptr);
    out.resize(size);
    return out;
  }
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest{EVP_MD_CTX_new(),
                                                                       EVP_MD_CTX_free};
  std::size_t size = out.size();
  require(digest &&
          EVP_DigestSignInit(digest.get(), nullptr, nullptr, nullptr, private_.get()) == 1 &&
          EVP_DigestSign(digest.get(), bytes, &size, bytes_of(text), text.size()) == 1);
  out.resize(size);
  return out;
}

std::string TokenMint::token(std::string_view head, std::string_view claims) const {
  const std::string text = base64url(head) + "." + base64url(claims);
  return text + "." + base64url(sign(text));
}

std::string TokenMint::token(std::string_view claims) const {
  return token(R"({"alg":")" + name() + R"(","typ":"JWT"})", claims);
}

std::string TokenMint::token_for(std::string_view subject, std::string_view grants,
                                 std::chrono::seconds expires) const {
  const auto end = std::chrono::system_clock::now().time_since_epoch() + expires;
  const double seconds = std::chrono::duration<double>(end).count();
  return token(R"({"sub":")" + std::string{subject} + R"(","exp":)" + std::to_string(seconds) +
               R"(,"annals":)" + std::string{grants} + "}");
}

std::string base64url(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes_of(bytes),
                                   static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  std::ranges::replace(out, '+', '-');
  std::ranges::replace(out, '/', '_');
  out.erase(std::min(out.find('='), out.size()));
  return out;
}

}  // namespace annals::test
