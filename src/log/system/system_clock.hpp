#pragma once

#include "log/ports/clock.hpp"

namespace annals::log {

/// The system's wall clock. Thread-safe, stateless.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] Timestamp now() override;
};

}  // namespace annals::log
