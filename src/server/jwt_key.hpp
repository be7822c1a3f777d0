#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "annals/result.hpp"

struct evp_pkey_st;

namespace annals::server {

/// How tokens are signed.
enum class JwtAlgorithm : std::uint8_t {
  hs256,  ///< HMAC with SHA-256: who can check tokens can make them.
  eddsa,  ///< Ed25519: the public key is enough to check.
};

/// The name in the head of a token: `HS256`, `EdDSA`.
[[nodiscard]] std::string_view to_string(JwtAlgorithm algorithm) noexcept;

/// The key that signatures of tokens are checked with. Immutable, thread-safe.
class JwtKey {
 public:
  /// Reads the file: of HS256 the secret as it is, at least 32 bytes, a newline at its end left
  /// out; of EdDSA a public key of Ed25519 as PEM. `invalid_request` when it is anything else; the
  /// error does not say what is in it.
  static Result<JwtKey> load(JwtAlgorithm algorithm, const std::filesystem::path& file);

  [[nodiscard]] JwtAlgorithm algorithm() const noexcept { return algorithm_; }

  /// True when `signature` is that of `text`. Takes the same time wherever they differ.
  [[nodiscard]] bool signs(std::string_view text, std::string_view signature) const;

 private:
  struct FreeKey {
    void operator()(evp_pkey_st* key) const noexcept;
  };

  explicit JwtKey(JwtAlgorithm algorithm) : algorithm_(algorithm) {}

  JwtAlgorithm algorithm_;
  std::string secret_;                                ///< Of HS256.
  std::unique_ptr<evp_pkey_st, FreeKey> public_key_;  ///< Of EdDSA.
};

}  // namespace annals::server
