#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "annals/time.hpp"
#include "log/ports/clock.hpp"

namespace annals::test {

/// A clock that stands still until it is told to move, in any direction. Thread-safe.
class FakeClock final : public log::Clock {
 public:
  /// Stands at `start`; 2026-01-02T03:04:05.000006Z when nothing is said.
  explicit FakeClock(Timestamp start = default_start()) : now_(micros(start)) {}

  [[nodiscard]] Timestamp now() override {
    return Timestamp{std::chrono::microseconds{now_.fetch_add(step_.load())}};
  }

  /// Jumps to `time`, forward or backward.
  void set(Timestamp time) { now_ = micros(time); }

  /// Jumps by `by`, which may be negative.
  void advance(std::chrono::microseconds by) { now_ += by.count(); }

  /// Every `now` moves the clock by `step` afterwards; 0, the default, stands still.
  void tick(std::chrono::microseconds step) { step_ = step.count(); }

  static constexpr Timestamp default_start() {
    using std::chrono::microseconds;
    return Timestamp{microseconds{1'767'323'045'000'006}};
  }

 private:
  static std::int64_t micros(Timestamp time) { return time.time_since_epoch().count(); }

  std::atomic<std::int64_t> now_;
  std::atomic<std::int64_t> step_{0};
};

}  // namespace annals::test
