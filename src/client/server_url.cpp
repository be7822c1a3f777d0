#include "client/server_url.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "annals/address_range.hpp"

namespace annals::client {

namespace {

std::unexpected<Error> invalid(std::string detail) {
  return fail(ErrorCode::invalid_request, "the server's URL " + std::move(detail));
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  if (text.size() > 5) return std::nullopt;
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

bool is_host(std::string_view host) {
  return !host.empty() && std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_' || c == ':';
  });
}

bool is_path(std::string_view path) {
  return std::ranges::all_of(path, [](char c) { return c > ' ' && c < '\x7f' && c != '"'; });
}

}  // namespace

Result<ServerUrl> parse_server_url(std::string_view text) {
  ServerUrl url;
  if (text.starts_with("https://")) {
    url.tls = true;
    text.remove_prefix(8);
  } else if (text.starts_with("http://")) {
    text.remove_prefix(7);
  } else {
    return invalid("must begin with http:// or https://");
  }
  if (text.find_first_of("?#") != std::string_view::npos) {
    return invalid("takes neither a query nor a fragment");
  }
  const auto slash = std::min(text.find('/'), text.size());
  url.prefix = text.substr(slash);
  while (url.prefix.ends_with('/'))
    url.prefix.pop_back();
  if (!is_path(url.prefix)) return invalid("has a malformed path");
  std::string_view authority = text.substr(0, slash);
  if (authority.find('@') != std::string_view::npos) {
    return invalid("takes no user name or key");
  }
  std::string_view port;
  const bool bracketed = authority.starts_with('[');
  const auto end = bracketed ? authority.find(']') : authority.find(':');
  if (bracketed) {
    if (end == std::string_view::npos) return invalid("has no closing bracket");
    url.host = authority.substr(1, end - 1);
    port = authority.substr(end + 1);
  } else {
    url.host = authority.substr(0, end);
    port = end == std::string_view::npos ? std::string_view{} : authority.substr(end);
  }
  if (!is_host(url.host) || bracketed != (url.host.find(':') != std::string::npos)) {
    return invalid("has no host, or a malformed one");
  }
  url.port = url.tls ? 443 : 80;
  if (!port.empty()) {
    const auto number = port.front() == ':' ? parse_port(port.substr(1)) : std::nullopt;
    if (!number) return invalid("has a malformed port");
    url.port = *number;
  }
  return url;
}

std::string ServerUrl::authority() const {
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return port == (tls ? 443 : 80) ? name : name + ":" + std::to_string(port);
}

std::string to_string(const ServerUrl& url) {
  return (url.tls ? "https://" : "http://") + url.authority() + url.prefix;
}

bool is_address(std::string_view host) {
  return parse_ip_address(host).has_value();
}

}  // namespace annals::client
