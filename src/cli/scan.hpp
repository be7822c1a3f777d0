#pragma once

#include <cstdint>
#include <functional>

#include "cli/failure.hpp"
#include "cli/log_access.hpp"

namespace annals::cli {

/// Called with every event that matches; false ends the scan.
using Visit = std::function<Outcome<bool>(const LoggedEvent&)>;

/// A run of numbers: after < seq <= to.
struct Span {
  std::uint64_t after = 0;
  std::uint64_t to = max_seq;
};

/// Reads a span forward, as far as the head, and shows what matches, of which about `wanted` will
/// be looked at. Returns the last number looked at (`span.after` when there was nothing).
[[nodiscard]] Outcome<std::uint64_t> scan_forward(EventReader& events, Span span,
                                                  std::uint64_t wanted, const Visit& visit);

/// Reads backward from the newest event and shows what matches, as above.
[[nodiscard]] Outcome<void> scan_backward(EventReader& events, std::uint64_t wanted,
                                          const Visit& visit);

/// The number after which the newest `count` matching events stand.
[[nodiscard]] Outcome<std::uint64_t> before_last(EventReader& events, std::uint64_t count);

}  // namespace annals::cli
