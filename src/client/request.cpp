#include "client/request.hpp"

#include <algorithm>

#include "wire/query.hpp"

namespace annals::client {

namespace {

/// No control character, which could end the line.
bool is_field_value(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  if (!is_field_value(value)) return;
  out += name;
  out += ": ";
  out += value;
  out += "\r\n";
}

}  // namespace

std::string head_of(const Endpoint& endpoint, const Request& request, bool chunked) {
  std::string out = request.method + " " + endpoint.url.prefix + request.target + " HTTP/1.1\r\n";
  append_field(out, "Host", endpoint.url.authority());
  append_field(out, "User-Agent", "annals-client");
  if (!endpoint.options.api_key.empty()) append_field(out, "X-API-Key", endpoint.options.api_key);
  for (const auto& [name, value] : request.fields)
    append_field(out, name, value);
  if (chunked) {
    append_field(out, "Transfer-Encoding", "chunked");
  } else if (request.method != "GET") {
    append_field(out, "Content-Length", std::to_string(request.body.size()));
  }
  return out + "\r\n";
}

Target& Target::add(std::string_view name, std::string_view value) {
  text_ += first_ ? '?' : '&';
  first_ = false;
  text_ += wire::percent_encode(name) + "=" + wire::percent_encode(value);
  return *this;
}

Target& Target::add(std::string_view name, std::uint64_t value) {
  return add(name, std::string_view{std::to_string(value)});
}

Target& Target::add(const Filters& filters) {
  for (const auto& [name, value] : filters)
    add(name, std::string_view{value});
  return *this;
}

}  // namespace annals::client
