#include "wire/text.hpp"

#include <array>
#include <charconv>
#include <cstddef>

#include "core/canonical.hpp"

namespace annals::wire {

namespace {

/// Length of the well-formed UTF-8 sequence at the beginning of `text`; 0 when there is none.
std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const auto continues = [&](std::size_t at, unsigned low = 0x80, unsigned high = 0xBF) {
    return at < text.size() && byte(at) >= low && byte(at) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : 0xBF;
    return continues(1, low, high) && continues(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned low = first == 0xF0 ? 0x90 : 0x80;
    const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
    return continues(1, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

void append_any_string(std::string& out, std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      clean += "\xEF\xBF\xBD";
      text.remove_prefix(1);
      continue;
    }
    clean.append(text.substr(0, length));
    text.remove_prefix(length);
  }
  core::append_json_string(out, clean);
}

void append_name(std::string& out, std::string_view name) {
  if (!out.empty() && out.back() != '{' && out.back() != '[') out += ',';
  out += '"';
  out += name;
  out += "\":";
}

void append_member(std::string& out, std::string_view name, std::string_view value) {
  append_name(out, name);
  core::append_json_string(out, value);
}

void append_member(std::string& out, std::string_view name, std::uint64_t value) {
  append_name(out, name);
  append_number(out, value);
}

void append_true(std::string& out, std::string_view name) {
  append_name(out, name);
  out += "true";
}

void append_number(std::string& out, std::uint64_t value) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

}  // namespace annals::wire
