#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace annals::config {

/// A number of bytes, as a type of its own so that it cannot be mistaken for a count.
struct Size {
  std::uint64_t bytes = 0;

  friend bool operator==(const Size&, const Size&) = default;
};

/// What a key can hold: text (also a choice), a whole number, a duration, a size, a flag.
using Value = std::variant<std::string, std::uint64_t, std::chrono::milliseconds, Size, bool>;

/// Reads `250ms`, `5s`, `15m`, `12h`, `90d`: one whole number with its unit, nothing else.
/// `nullopt` for anything malformed or longer than 10,000 years.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// Reads `512B`, `64KiB`, `8MiB`, `2GiB`, `1TiB`: one whole number with its unit. `nullopt` for
/// anything malformed or above 2^53 - 1 bytes.
[[nodiscard]] std::optional<Size> parse_size(std::string_view text);

/// Reads a whole number in plain digits; `nullopt` for anything else, signs and spaces included.
[[nodiscard]] std::optional<std::uint64_t> parse_integer(std::string_view text);

/// Writes with the largest unit that is exact: what `parse_duration` reads.
[[nodiscard]] std::string to_string(std::chrono::milliseconds duration);

/// Writes with the largest unit that is exact: what `parse_size` reads.
[[nodiscard]] std::string to_string(Size size);

/// The value as a person writes it, without quotes.
[[nodiscard]] std::string to_text(const Value& value);

/// The value as TOML: text, durations and sizes as quoted strings, numbers and flags bare.
[[nodiscard]] std::string to_toml(const Value& value);

}  // namespace annals::config
