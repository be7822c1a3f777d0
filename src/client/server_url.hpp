#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "annals/result.hpp"

namespace annals::client {

/// Where a server is. Plain value.
struct ServerUrl {
  bool tls = false;
  std::string host;  ///< A name, or an address without brackets.
  std::uint16_t port = 0;
  std::string prefix;  ///< Path in front of `/v1`, of a proxy; empty, or `/x` without a last slash.

  /// The value of the `Host` header.
  [[nodiscard]] std::string authority() const;

  friend bool operator==(const ServerUrl&, const ServerUrl&) = default;
};

/// Reads `http[s]://host[:port][/path]`. Errors: `invalid_request`; the detail does not repeat the
/// text, which may hold a password. User names, queries and fragments are refused. Pure.
[[nodiscard]] Result<ServerUrl> parse_server_url(std::string_view text);

/// The URL, for messages.
[[nodiscard]] std::string to_string(const ServerUrl& url);

/// True when the host is an IP address, not a name.
[[nodiscard]] bool is_address(std::string_view host);

}  // namespace annals::client
