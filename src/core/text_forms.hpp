#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "annals/time.hpp"
#include "annals/uuid.hpp"

namespace annals::core {

// The spellings of numbers, identifiers and times that every text of the log shares, appended to a
// buffer that grows once. Pure functions, safe from any thread.

/// Appends two lower-case hex digits for each byte.
void append_hex(std::string& out, std::span<const std::uint8_t> bytes);

/// Reads exactly `2 * out.size()` hex digits of any case; false leaves `out` undefined.
[[nodiscard]] bool parse_hex(std::string_view text, std::span<std::uint8_t> out) noexcept;

/// The value of a hex digit of any case, or -1.
[[nodiscard]] constexpr int hex_value(char digit) noexcept {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

/// Appends the decimal digits.
void append_number(std::string& out, std::uint64_t number);

/// Appends what `to_string(uuid)` gives.
void append_uuid(std::string& out, const Uuid& uuid);

/// Appends what `to_string(time)` gives.
void append_timestamp(std::string& out, Timestamp time);

}  // namespace annals::core
