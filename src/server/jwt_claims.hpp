#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "annals/capability.hpp"
#include "annals/read_grant.hpp"
#include "annals/result.hpp"
#include "annals/time.hpp"

namespace annals::server {

/// What the head of a token says of its signature. Plain value.
struct JwtHeader {
  std::string algorithm;  ///< `alg`
  bool critical = false;  ///< It has `crit`: there is more to be understood.
};

/// What a claim of grants allows. Plain value.
struct JwtGrants {
  AllowedTypes append;  ///< Empty: nothing.
  ReadGrants read;      ///< Empty: nothing.
};

/// The claims of a token that are looked at. Plain value.
struct JwtClaims {
  std::string subject;                ///< `sub`
  std::optional<Timestamp> expires;   ///< `exp`
  std::optional<Timestamp> begins;    ///< `nbf`
  std::optional<std::string> issuer;  ///< `iss`
  std::vector<std::string> audience;  ///< `aud`, a text or a list of texts.
  std::optional<JwtGrants> grants;
};

/// The error of a token that is not taken.
[[nodiscard]] std::unexpected<Error> refuse_token(std::string_view reason);

// Of both, the error is `not_authenticated`, and says nothing of what was sent.

/// Reads the decoded head. Members but `alg` and `crit` are passed over.
[[nodiscard]] Result<JwtHeader> read_jwt_header(std::string_view json);

/// Reads the decoded claims; those not looked at are passed over. `grants_claim` is an object with
/// `append` and `read`, both lists of texts as `annals key create` takes them, and nothing else.
[[nodiscard]] Result<JwtClaims> read_jwt_claims(std::string_view json,
                                                std::string_view grants_claim);

}  // namespace annals::server
