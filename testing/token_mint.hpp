#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "testing/temp_dir.hpp"

struct evp_pkey_st;

namespace annals::test {

/// Makes JSON Web Tokens, and the file that they are checked with: an issuer of tests, on OpenSSL
/// alone. Throws std::runtime_error when that fails. Used on one thread.
class TokenMint {
 public:
  enum class Algorithm { hs256, eddsa };

  /// With a new random key.
  explicit TokenMint(Algorithm algorithm);

  /// `HS256` or `EdDSA`.
  [[nodiscard]] std::string name() const;

  /// What a server needs to check the tokens: the secret, or the public key as PEM.
  [[nodiscard]] std::filesystem::path key_file() const { return folder_ / "key"; }

  /// A token with these claims, a JSON text.
  [[nodiscard]] std::string token(std::string_view claims) const;

  /// The same with another head, a JSON text; signed as always.
  [[nodiscard]] std::string token(std::string_view head, std::string_view claims) const;

  /// A token for `subject` that ends at the time `expires` from now, with `grants`, a JSON text, in
  /// the claim `annals`.
  [[nodiscard]] std::string token_for(std::string_view subject, std::string_view grants,
                                      std::chrono::seconds expires = std::chrono::hours{1}) const;

 private:
  struct FreeKey {
    void operator()(evp_pkey_st* key) const noexcept;
  };

  [[nodiscard]] std::string sign(std::string_view text) const;

  const Algorithm algorithm_;
  const TempDir folder_;
  std::string secret_;                             ///< Of HS256.
  std::unique_ptr<evp_pkey_st, FreeKey> private_;  ///< Of EdDSA.
};

/// Base64url without padding.
[[nodiscard]] std::string base64url(std::string_view bytes);

}  // namespace annals::test
