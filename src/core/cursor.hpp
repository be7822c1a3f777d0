#pragma once

#include <cstdint>
#include <string_view>

#include "annals/result.hpp"

namespace annals::core {

/// Reads a cursor: `0|[1-9][0-9]{0,15}`, at most 2^53 - 1. Everything else, spaces and signs
/// included, is `invalid_cursor`; whether an empty one counts as absent is the transport's rule.
[[nodiscard]] Result<std::uint64_t> parse_cursor(std::string_view text);

/// Whether `after` can be continued in a log with these counters: valid from `oldest - 1` to
/// `head`, else `resync_required` with what is lost (reason `expired` or `ahead`).
[[nodiscard]] Result<void> check_cursor(std::uint64_t after, std::uint64_t oldest,
                                        std::uint64_t head);

}  // namespace annals::core
