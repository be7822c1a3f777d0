#pragma once

#include <chrono>

#include "annals/time.hpp"

namespace annals::server {

/// Time that only runs forward, for deadlines.
using Deadline = std::chrono::steady_clock::time_point;

/// The time `time` from now.
[[nodiscard]] inline Deadline from_now(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

/// The time of day, which keys expire by.
[[nodiscard]] inline Timestamp wall_clock() {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

}  // namespace annals::server
