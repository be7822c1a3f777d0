#include "server/request_log.hpp"

#include "wire/text.hpp"

namespace annals::server {

std::string as_text(const RequestLine& line, std::chrono::microseconds took) {
  std::string out = "request";
  const auto add = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    out += ' ';
    out += name;
    out += '=';
    out += value;
  };
  add("method", line.method);
  add("path", line.path);
  add("status", std::to_string(line.status));
  add("bytes", std::to_string(line.bytes));
  add("us", std::to_string(took.count()));
  add("key_id", line.key_id);
  add("correlation_id", line.correlation_id);
  add("reason", line.reason);
  return out;
}

std::string as_json(const RequestLine& line, std::chrono::microseconds took) {
  std::string out = "{";
  const auto add = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    wire::append_name(out, name);
    wire::append_any_string(out, value);
  };
  wire::append_member(out, "message", "request");
  add("method", line.method);
  add("path", line.path);
  wire::append_member(out, "status", static_cast<std::uint64_t>(line.status));
  wire::append_member(out, "bytes", line.bytes);
  wire::append_member(out, "us", static_cast<std::uint64_t>(took.count()));
  add("key_id", line.key_id);
  add("correlation_id", line.correlation_id);
  add("reason", line.reason);
  return out + "}";
}

}  // namespace annals::server
