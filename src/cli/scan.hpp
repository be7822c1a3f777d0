#pragma once

#include <cstdint>
#include <functional>

#include "annals/event_log.hpp"
#include "cli/failure.hpp"
#include "core/filter.hpp"

namespace annals::cli {

/// Called with every record that matches; false ends the scan.
using Visit = std::function<Outcome<bool>(const Record&)>;

/// A run of numbers: after < seq <= to.
struct Span {
  std::uint64_t after = 0;
  std::uint64_t to = max_seq;
};

/// Reads a span forward, as far as the head, and shows what matches. Returns the last number looked
/// at (`span.after` when there was nothing).
[[nodiscard]] Outcome<std::uint64_t> scan_forward(const EventLog& log, Span span,
                                                  const Filter& filter, const Visit& visit);

/// Reads backward from the newest event and shows what matches.
[[nodiscard]] Outcome<void> scan_backward(const EventLog& log, const Filter& filter,
                                          const Visit& visit);

/// The number after which the newest `count` matching events stand.
[[nodiscard]] Outcome<std::uint64_t> before_last(const EventLog& log, const Filter& filter,
                                                 std::uint64_t count);

}  // namespace annals::cli
