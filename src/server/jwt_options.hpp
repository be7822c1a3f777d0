#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace annals::server {

/// Which tokens are taken. The names are the configuration keys.
struct JwtOptions {
  std::string algorithm;           ///< `jwt.algorithm`; empty: none, `HS256` or `EdDSA`.
  std::filesystem::path key_file;  ///< `jwt.key_file`
  std::string issuer;              ///< `jwt.issuer`: what `iss` must be; empty: not looked at.
  std::string audience;            ///< `jwt.audience`: what `aud` must hold; empty: not looked at.
  std::string claim = "annals";    ///< `jwt.claim`: the claim with the grants.
  std::chrono::milliseconds leeway{0};  ///< `jwt.leeway`: how much other clocks may differ.

  /// True when tokens are taken.
  [[nodiscard]] bool on() const noexcept { return !algorithm.empty(); }
};

}  // namespace annals::server
