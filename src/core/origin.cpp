#include "core/origin.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace annals::core {

namespace {

bool is_name(std::string_view host) noexcept {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789-._";
  return !host.empty() && host.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_bracketed_address(std::string_view host) noexcept {
  constexpr std::string_view allowed = "0123456789abcdef:.";
  if (host.size() < 4 || !host.starts_with('[') || !host.ends_with(']')) return false;
  return host.substr(1, host.size() - 2).find_first_not_of(allowed) == std::string_view::npos;
}

bool is_port(std::string_view text, std::uint16_t own_port) noexcept {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size() && !text.starts_with('0') &&
         port != own_port;
}

std::string_view trim(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

bool is_origin(std::string_view text) noexcept {
  constexpr std::string_view http = "http://";
  constexpr std::string_view https = "https://";
  const bool secure = text.starts_with(https);
  if (!secure && !text.starts_with(http)) return false;
  const std::string_view authority = text.substr(secure ? https.size() : http.size());
  // The colons of an address are not that of the port.
  const std::size_t colon =
      authority.find(':', authority.starts_with('[') ? authority.find(']') : 0);
  const std::string_view host = authority.substr(0, colon);
  if (!is_name(host) && !is_bracketed_address(host)) return false;
  return colon == std::string_view::npos || is_port(authority.substr(colon + 1), secure ? 443 : 80);
}

std::optional<std::vector<std::string>> parse_origins(std::string_view list) {
  std::vector<std::string> origins;
  if (trim(list).empty()) return origins;
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view origin = trim(list.substr(0, comma));
    if (!is_origin(origin)) return std::nullopt;
    origins.emplace_back(origin);
    if (comma == std::string_view::npos) return origins;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace annals::core
