#include "core/validate_names.hpp"

#include <algorithm>
#include <array>

namespace annals::core {
namespace {

constexpr std::string_view any_below = ".*";

bool is_lower(char c) noexcept {
  return c >= 'a' && c <= 'z';
}

bool is_name_char(char c) noexcept {
  return is_lower(c) || (c >= '0' && c <= '9') || c == '_';
}

bool is_word(std::string_view text) noexcept {
  return !text.empty() && is_lower(text.front()) && std::ranges::all_of(text, is_name_char);
}

bool is_type_char(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte != 0x7f && c != ',' && c != '*';
}

struct LeadRange {
  unsigned char first;
  unsigned char last;
  unsigned char length;
  unsigned char second_low;   ///< Bounds of the second byte: what rules out long forms, surrogates
  unsigned char second_high;  ///< and everything above U+10FFFF.
};
constexpr std::array lead_ranges{
    LeadRange{0xc2, 0xdf, 2, 0x80, 0xbf}, LeadRange{0xe0, 0xe0, 3, 0xa0, 0xbf},
    LeadRange{0xe1, 0xec, 3, 0x80, 0xbf}, LeadRange{0xed, 0xed, 3, 0x80, 0x9f},
    LeadRange{0xee, 0xef, 3, 0x80, 0xbf}, LeadRange{0xf0, 0xf0, 4, 0x90, 0xbf},
    LeadRange{0xf1, 0xf3, 4, 0x80, 0xbf}, LeadRange{0xf4, 0xf4, 4, 0x80, 0x8f},
};

/// Bytes of the multi-byte sequence at the front, or 0 when it is not well formed.
std::size_t sequence_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto* const range = std::ranges::find_if(lead_ranges, [&](const LeadRange& candidate) {
    return byte(0) >= candidate.first && byte(0) <= candidate.last;
  });
  if (range == lead_ranges.end() || text.size() < range->length) return 0;
  if (byte(1) < range->second_low || byte(1) > range->second_high) return 0;
  for (std::size_t i = 2; i < range->length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  }
  return range->length;
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const auto lead = static_cast<unsigned char>(text.front());
    if (lead < 0x80) {
      text.remove_prefix(1);
      continue;
    }
    const std::size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool is_plain_text(std::string_view text, std::size_t max_bytes) noexcept {
  return !text.empty() && text.size() <= max_bytes && text.find('\0') == std::string_view::npos &&
         is_utf8(text);
}

bool is_name(std::string_view text) noexcept {
  return text.size() <= max_name_bytes && is_word(text);
}

bool is_default_type(std::string_view type) noexcept {
  std::size_t segments = 0;
  for (;;) {
    const std::size_t dot = type.find('.');
    if (!is_word(type.substr(0, dot))) return false;
    ++segments;
    if (dot == std::string_view::npos) return segments > 1;
    type.remove_prefix(dot + 1);
  }
}

bool is_type_name(std::string_view type) noexcept {
  return !type.empty() && type.size() <= max_type_bytes && type.front() != '.' &&
         type.back() != '.' && type.find("..") == std::string_view::npos &&
         std::ranges::all_of(type, is_type_char) && is_utf8(type);
}

bool is_type_pattern(std::string_view pattern) noexcept {
  if (pattern.size() > max_type_bytes) return false;
  if (pattern.ends_with(any_below)) pattern.remove_suffix(any_below.size());
  return is_type_name(pattern);
}

bool is_reserved_type(std::string_view type) noexcept {
  return type.starts_with("log.") || type.starts_with("access.");
}

bool matches_type_pattern(std::string_view pattern, std::string_view type) noexcept {
  if (!pattern.ends_with(any_below)) return pattern == type;
  const std::string_view prefix = pattern.substr(0, pattern.size() - 1);
  return type.size() > prefix.size() && type.starts_with(prefix);
}

}  // namespace annals::core
