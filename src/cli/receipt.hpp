#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "annals/record.hpp"
#include "cli/failure.hpp"

namespace annals::cli {

/// Reads `HEAD:LOG_HASH`; `nullopt` for anything else.
[[nodiscard]] std::optional<Receipt> parse_receipt(std::string_view text);

/// Reads a receipt kept in a file: `HEAD:LOG_HASH`, or JSON with `head` and `log_hash` as every
/// append answers it. A file that cannot be read or holds no receipt means that nothing can be
/// checked (exit code 4).
[[nodiscard]] Outcome<Receipt> read_receipt(const std::filesystem::path& file);

/// `HEAD:LOG_HASH`.
[[nodiscard]] std::string to_string(const Receipt& receipt);

}  // namespace annals::cli
