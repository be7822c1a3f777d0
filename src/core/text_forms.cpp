#include "core/text_forms.hpp"

#include <array>
#include <cassert>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstring>

namespace annals::core {

namespace {

/// Both digits of every byte, so that a byte costs one load.
constexpr auto hex_pairs = [] {
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<char, 512> pairs{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    pairs[2 * byte] = digits[byte >> 4U];
    pairs[2 * byte + 1] = digits[byte & 15U];
  }
  return pairs;
}();

char* write_hex(char* out, std::span<const std::uint8_t> bytes) noexcept {
  for (const std::uint8_t byte : bytes) {
    std::memcpy(out, &hex_pairs[std::size_t{2} * byte], 2);
    out += 2;
  }
  return out;
}

/// Writes `digits` decimal digits of `value`, leading zeros included.
char* write_padded(char* out, std::uint32_t value, int digits) noexcept {
  for (int i = digits - 1; i >= 0; --i) {
    out[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  return out + digits;
}

}  // namespace

void append_hex(std::string& out, std::span<const std::uint8_t> bytes) {
  const std::size_t size = out.size();
  out.resize(size + 2 * bytes.size());
  write_hex(out.data() + size, bytes);
}

bool parse_hex(std::string_view text, std::span<std::uint8_t> out) noexcept {
  if (text.size() != 2 * out.size()) return false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int high = hex_value(text[2 * i]);
    const int low = hex_value(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    out[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return true;
}

void append_number(std::string& out, std::uint64_t number) {
  std::array<char, 20>
      digits;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before read
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), result.ptr);
}

void append_uuid(std::string& out, const Uuid& uuid) {
  std::array<char, 36> text;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before read
  char* end = text.data();
  std::size_t next = 0;
  for (const std::size_t group : {4, 2, 2, 2, 6}) {
    if (next != 0) *end++ = '-';
    end = write_hex(end, std::span(uuid.bytes).subspan(next, group));
    next += group;
  }
  out.append(text.data(), text.size());
}

void append_timestamp(std::string& out, Timestamp time) {
  using namespace std::chrono;
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  const int year = static_cast<int>(date.year());
  assert(year >= 1 && year <= 9999);

  std::array<char, 27> text;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before read
  char* end = write_padded(text.data(), static_cast<std::uint32_t>(year), 4);
  *end++ = '-';
  end = write_padded(end, static_cast<unsigned>(date.month()), 2);
  *end++ = '-';
  end = write_padded(end, static_cast<unsigned>(date.day()), 2);
  *end++ = 'T';
  end = write_padded(end, static_cast<std::uint32_t>(clock.hours().count()), 2);
  *end++ = ':';
  end = write_padded(end, static_cast<std::uint32_t>(clock.minutes().count()), 2);
  *end++ = ':';
  end = write_padded(end, static_cast<std::uint32_t>(clock.seconds().count()), 2);
  *end++ = '.';
  end = write_padded(end, static_cast<std::uint32_t>(clock.subseconds().count()), 6);
  *end = 'Z';
  out.append(text.data(), text.size());
}

}  // namespace annals::core
