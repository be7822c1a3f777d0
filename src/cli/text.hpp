#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace annals::cli {

/// The text with every control character (C0, DEL, C1) and every malformed byte replaced by `?`, so
/// that what is stored in a log cannot steer a terminal.
[[nodiscard]] std::string printable(std::string_view text);

/// The printable text cut to `columns` code points, the last of them `~` when something was cut.
[[nodiscard]] std::string clipped(std::string_view text, std::size_t columns);

/// The printable text cut or padded with spaces to exactly `columns` code points.
[[nodiscard]] std::string cell(std::string_view text, std::size_t columns);

/// `1,234,567`.
[[nodiscard]] std::string grouped(std::uint64_t number);

/// `1 event`, `2 events`.
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view noun);

}  // namespace annals::cli
