#include "wire/json_values.hpp"

#include <limits>
#include <string_view>

#include "core/cursor.hpp"

namespace annals::wire {

namespace {

/// Reads a text and makes of it what `parse` says.
template <typename Value, typename Parse>
bool read_parsed(core::json::Reader& reader, Value& out, Parse parse) {
  std::string text;
  if (!reader.read_string(text)) return false;
  const auto value = parse(text);
  if (!value) return false;
  out = *value;
  return true;
}

}  // namespace

bool read_value(core::json::Reader& reader, std::string& out) {
  return reader.read_string(out);
}

bool read_value(core::json::Reader& reader, bool& out) {
  return reader.read_boolean(out);
}

bool read_value(core::json::Reader& reader, std::uint64_t& out) {
  std::string_view text;
  if (!reader.read_number(text)) return false;
  const auto number = core::parse_cursor(text);
  if (!number) return false;
  out = *number;
  return true;
}

bool read_value(core::json::Reader& reader, std::uint32_t& out) {
  std::uint64_t number = 0;
  if (!read_value(reader, number) || number > std::numeric_limits<std::uint32_t>::max()) {
    return false;
  }
  out = static_cast<std::uint32_t>(number);
  return true;
}

bool read_value(core::json::Reader& reader, Uuid& out) {
  return read_parsed(reader, out, parse_uuid);
}

bool read_value(core::json::Reader& reader, Digest& out) {
  return read_parsed(reader, out, parse_digest);
}

bool read_value(core::json::Reader& reader, Timestamp& out) {
  return read_parsed(reader, out, parse_timestamp);
}

}  // namespace annals::wire
