#pragma once

#include "annals/time.hpp"

namespace annals::log {

/// The wall clock. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  /// Now, UTC, microseconds.
  [[nodiscard]] virtual Timestamp now() = 0;
};

}  // namespace annals::log
