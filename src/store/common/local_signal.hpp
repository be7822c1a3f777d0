#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

#include "log/ports/change_signal.hpp"

namespace annals::store {

/// The change signal within one process: a number and a condition variable. Thread-safe.
class LocalSignal final : public log::ChangeSignal {
 public:
  /// Looks for commits that this process did not make and returns the highest number found.
  using Poll = std::function<std::uint64_t()>;

  /// A signal that hears of notifications only.
  LocalSignal() = default;

  /// A signal whose waiters also call `poll` about every `interval`, one at a time and never while
  /// nobody waits. `poll` is called without a lock and must not throw.
  LocalSignal(Poll poll, std::chrono::milliseconds interval);

  std::uint64_t wait(std::uint64_t seen, std::chrono::milliseconds timeout) override;
  void notify(std::uint64_t seq) noexcept override;
  void interrupt() noexcept override;

 private:
  /// True when this waiter is to poll now; it then has the turn until `end_poll`.
  bool begin_poll();
  void end_poll(std::uint64_t found);

  const Poll poll_;
  const std::chrono::milliseconds interval_{};

  std::mutex mutex_;  ///< Protects everything below.
  std::condition_variable changed_;
  std::uint64_t highest_ = 0;
  std::uint64_t interrupts_ = 0;
  bool polling_ = false;
  std::chrono::steady_clock::time_point next_poll_{};
};

}  // namespace annals::store
