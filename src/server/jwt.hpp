#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "annals/capability.hpp"
#include "annals/read_grant.hpp"
#include "annals/result.hpp"
#include "annals/time.hpp"
#include "server/jwt_claims.hpp"
#include "server/jwt_key.hpp"
#include "server/jwt_options.hpp"

namespace annals::server {

/// What a token says of who presents it. Plain value.
struct JwtIdentity {
  std::string subject;   ///< 1 to 196 bytes of text.
  AllowedTypes append;   ///< Types it may append; empty: none.
  ReadGrants read;       ///< What it may read; empty: nothing.
  Timestamp expires_at;  ///< From when on it is refused: `exp` and the leeway.
};

/// Longest token that is looked at, in bytes.
inline constexpr std::size_t max_jwt_bytes = 8192;

/// True for what can only be a token: three parts, and not the form of a key.
[[nodiscard]] bool looks_like_jwt(std::string_view credential) noexcept;

/// Checks JSON Web Tokens (RFC 7519) in compact form. Immutable, thread-safe.
class JwtVerifier {
 public:
  /// Reads the key. `invalid_request` for another algorithm, and for a file that is no key of it.
  static Result<JwtVerifier> load(const JwtOptions& options);

  /// Who presents `token` at `now`. `not_authenticated` when it is too long, malformed, signed with
  /// another algorithm or key, has `crit`, is not yet or no longer valid, is of another issuer or
  /// for another audience, or lacks a subject, an end or good grants. The error never repeats any
  /// of it. Pure.
  [[nodiscard]] Result<JwtIdentity> verify(std::string_view token, Timestamp now) const;

 private:
  JwtVerifier(JwtOptions options, JwtKey key)
      : options_(std::move(options)),
        key_(std::move(key)) {}

  /// The claims, once the signature holds.
  [[nodiscard]] Result<JwtClaims> open(std::string_view token) const;

  JwtOptions options_;
  JwtKey key_;
};

}  // namespace annals::server
