#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace annals {

/// A point in time, 64-bit microseconds since 1970-01-01T00:00:00Z; year 0001 to 9999.
using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

/// The only spelling the log writes: `YYYY-MM-DDTHH:MM:SS.ffffffZ`, 27 characters.
[[nodiscard]] std::string to_string(Timestamp time);

/// Reads RFC 3339: any offset is converted to UTC, more than six decimals are truncated before
/// anything else, second 60 and results outside year 0001 to 9999 give `nullopt`.
[[nodiscard]] std::optional<Timestamp> parse_timestamp(std::string_view text) noexcept;

}  // namespace annals
