#include "core/trace_context.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "core/text_forms.hpp"

namespace annals::core {

namespace {

constexpr std::size_t version_00_size = 55;
/// Later versions may append fields; a header beyond this is not a trace header.
constexpr std::size_t max_size = 200;

/// The standard allows lower case only.
bool is_lower_hex(std::string_view text) {
  return std::ranges::all_of(text,
                             [](char c) { return hex_value(c) >= 0 && (c < 'A' || c > 'F'); });
}

bool is_all_zero(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c == '0'; });
}

/// Appended fields become part of a stored text, so they must be harmless.
bool is_visible_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace

std::optional<TraceParent> parse_traceparent(std::string_view text) {
  if (text.size() < version_00_size || text.size() > max_size) return std::nullopt;
  const auto version = text.substr(0, 2);
  const auto trace_id = text.substr(3, 32);
  const auto parent_id = text.substr(36, 16);
  const auto flags = text.substr(53, 2);
  if (text[2] != '-' || text[35] != '-' || text[52] != '-') return std::nullopt;
  if (!is_lower_hex(version) || !is_lower_hex(trace_id) || !is_lower_hex(parent_id) ||
      !is_lower_hex(flags)) {
    return std::nullopt;
  }
  if (version == "ff" || is_all_zero(trace_id) || is_all_zero(parent_id)) return std::nullopt;
  if (text.size() > version_00_size) {
    if (version == "00" || text[version_00_size] != '-') return std::nullopt;
    if (!is_visible_ascii(text.substr(version_00_size))) return std::nullopt;
  }

  TraceParent trace;
  if (!parse_hex(trace_id, trace.trace_id.bytes)) return std::nullopt;
  trace.sampled = (hex_value(flags[1]) & 1) != 0;
  trace.text = text;
  return trace;
}

}  // namespace annals::core
