#include "core/json_text.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/text_forms.hpp"

namespace annals::core::json {

namespace {

constexpr Fault unterminated = {"syntax", "the string does not end"};
constexpr Fault control = {"syntax", "a control character in a string must be escaped"};
constexpr Fault bad_escape = {"syntax", "unknown escape in a string"};
constexpr Fault bad_utf8 = {"utf8", "must be valid UTF-8"};
constexpr Fault lone_surrogate = {"surrogate", "a surrogate must be one of a pair"};
constexpr Fault bad_number = {"syntax", "malformed number"};
constexpr Fault leading_zero = {"syntax", "a number must not begin with a superfluous zero"};

constexpr std::uint64_t every_byte(std::uint8_t value) {
  return 0x0101010101010101U * value;
}

/// The high bit of the lowest byte that is a quote, a backslash, a control or not ASCII; the higher
/// bytes of the result mean nothing. Zero when all eight bytes are plain.
constexpr std::uint64_t special_bytes(std::uint64_t word) {
  const std::uint64_t quote = word ^ every_byte('"');
  const std::uint64_t backslash = word ^ every_byte('\\');
  const std::uint64_t found = ((quote - every_byte(1)) & ~quote) |
                              ((backslash - every_byte(1)) & ~backslash) |
                              ((word - every_byte(0x20)) & ~word) | word;
  return found & every_byte(0x80);
}

constexpr bool is_special(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// The next byte that needs a look, or `end`.
const char* skip_plain(const char* at, const char* end) noexcept {
  while (end - at >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    if constexpr (std::endian::native == std::endian::big) word = std::byteswap(word);
    const std::uint64_t found = special_bytes(word);
    if (found != 0) return at + std::countr_zero(found) / 8;
    at += 8;
  }
  while (at != end && !is_special(*at)) {
    ++at;
  }
  return at;
}

bool is_continuation(char c) noexcept {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

/// The length of the UTF-8 sequence of a character above U+007F, or 0. Refuses overlong forms,
/// surrogates and what lies above U+10FFFF by the range of the second byte.
std::size_t utf8_length(const char* at, const char* end) noexcept {
  const auto available = static_cast<std::size_t>(end - at);
  const auto lead = static_cast<unsigned char>(*at);
  if (available < 2 || !is_continuation(at[1])) return 0;
  const auto second = static_cast<unsigned char>(at[1]);
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (available < 3 || !is_continuation(at[2])) return 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (lead == 0xe0 && second < 0xa0) return 0;
    if (lead == 0xed && second > 0x9f) return 0;
    return 3;
  }
  if (available < 4 || !is_continuation(at[3])) return 0;
  if (lead < 0xf0 || lead > 0xf4) return 0;
  if (lead == 0xf0 && second < 0x90) return 0;
  if (lead == 0xf4 && second > 0x8f) return 0;
  return 4;
}

/// The code unit of `\uXXXX` at `at`, or -1.
int escaped_unit(const char* at, const char* end) noexcept {
  if (end - at < 6 || at[0] != '\\' || at[1] != 'u') return -1;
  int unit = 0;
  for (int i = 2; i < 6; ++i) {
    const int digit = hex_value(at[i]);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

constexpr bool is_high_surrogate(int unit) noexcept {
  return unit >= 0xd800 && unit <= 0xdbff;
}

constexpr bool is_low_surrogate(int unit) noexcept {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/// Reads one escape, or a pair of surrogate escapes, from its backslash.
Scan scan_escape(const char* at, const char* end) noexcept {
  if (end - at < 2) return {end, &unterminated};
  if (at[1] != 'u') {
    const bool known = std::string_view("\"\\/bfnrt").find(at[1]) != std::string_view::npos;
    return known ? Scan{at + 2} : Scan{at, &bad_escape};
  }
  const int unit = escaped_unit(at, end);
  if (unit < 0) return {at, &bad_escape};
  if (is_low_surrogate(unit)) return {at, &lone_surrogate};
  if (!is_high_surrogate(unit)) return {at + 6};
  if (!is_low_surrogate(escaped_unit(at + 6, end))) return {at, &lone_surrogate};
  return {at + 12};
}

void append_utf8(std::string& out, std::uint32_t code_point) {
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80U | ((code_point >> shift) & 0x3fU));
  };
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xc0U | (code_point >> 6U));
    tail(0);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xe0U | (code_point >> 12U));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0U | (code_point >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

/// Appends what the checked escape at `at` stands for and returns the byte behind it.
const char* append_escaped(std::string& out, const char* at, const char* end) {
  switch (at[1]) {
    case 'b':
      out += '\b';
      return at + 2;
    case 'f':
      out += '\f';
      return at + 2;
    case 'n':
      out += '\n';
      return at + 2;
    case 'r':
      out += '\r';
      return at + 2;
    case 't':
      out += '\t';
      return at + 2;
    case 'u':
      break;
    default:
      out += at[1];
      return at + 2;
  }
  const auto unit = static_cast<std::uint32_t>(escaped_unit(at, end));
  if (!is_high_surrogate(static_cast<int>(unit))) {
    append_utf8(out, unit);
    return at + 6;
  }
  const auto low = static_cast<std::uint32_t>(escaped_unit(at + 6, end));
  append_utf8(out, 0x10000 + ((unit - 0xd800) << 10U) + (low - 0xdc00));
  return at + 12;
}

bool is_digit(const char* at, const char* end) noexcept {
  return at != end && *at >= '0' && *at <= '9';
}

const char* skip_digits(const char* at, const char* end) noexcept {
  while (is_digit(at, end)) {
    ++at;
  }
  return at;
}

}  // namespace

Scan scan_string(const char* at, const char* end) noexcept {
  bool escaped = false;
  for (;;) {
    at = skip_plain(at, end);
    if (at == end) return {at, &unterminated};
    const auto c = static_cast<unsigned char>(*at);
    if (c == '"') return {at, nullptr, escaped};
    if (c < 0x20) return {at, &control};
    if (c == '\\') {
      const Scan escape = scan_escape(at, end);
      if (escape.fault != nullptr) return escape;
      at = escape.at;
      escaped = true;
      continue;
    }
    do {
      const std::size_t length = utf8_length(at, end);
      if (length == 0) return {at, &bad_utf8};
      at += length;
    } while (at != end && static_cast<unsigned char>(*at) >= 0x80);
  }
}

Scan scan_number(const char* at, const char* end) noexcept {
  if (at != end && *at == '-') ++at;
  if (!is_digit(at, end)) return {at, &bad_number};
  if (*at == '0') {
    ++at;
    if (is_digit(at, end)) return {at, &leading_zero};
  } else {
    at = skip_digits(at, end);
  }
  if (at != end && *at == '.') {
    ++at;
    if (!is_digit(at, end)) return {at, &bad_number};
    at = skip_digits(at, end);
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at != end && (*at == '+' || *at == '-')) ++at;
    if (!is_digit(at, end)) return {at, &bad_number};
    at = skip_digits(at, end);
  }
  return {at};
}

void append_unescaped(std::string& out, std::string_view raw) {
  const char* at = raw.data();
  const char* const end = at + raw.size();
  while (at != end) {
    const auto* backslash =
        static_cast<const char*>(std::memchr(at, '\\', static_cast<std::size_t>(end - at)));
    if (backslash == nullptr) {
      out.append(at, end);
      return;
    }
    out.append(at, backslash);
    at = append_escaped(out, backslash, end);
  }
}

void append_token(std::string& pointer, std::string_view token) {
  pointer += '/';
  for (const char c : token) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

}  // namespace annals::core::json
