#pragma once

#include <cstdint>
#include <string>

#include "cli/failure.hpp"
#include "cli/log_access.hpp"

namespace annals::cli {

/// Reads `--after`: the cursor grammar; anything else is wrong usage.
[[nodiscard]] Outcome<std::uint64_t> parse_after(const std::string& text);

/// Resolves `--from` to the number after which to read: `oldest`, `latest`, or an RFC 3339 time
/// (the first event recorded at or after it). `recorded_at` never runs backwards, so a time takes a
/// few reads whatever the log's size.
[[nodiscard]] Outcome<std::uint64_t> resolve_from(EventReader& events, const std::string& from);

/// Fails with `resync_required` when the log cannot be continued after `after`.
[[nodiscard]] Outcome<void> check_after(EventReader& events, std::uint64_t after);

}  // namespace annals::cli
