#pragma once

#include <chrono>
#include <cstdint>

namespace annals::log {

/// Tells that the log has grown. A wake-up carries the highest number only; it is a hint, the
/// reader always looks at the store. Thread-safe.
class ChangeSignal {
 public:
  virtual ~ChangeSignal() = default;

  /// Blocks until something above `seen` may be readable, `timeout` passes, or `interrupt` is
  /// called. Commits of other processes are noticed too (SQLite: within 100 ms). Returns the
  /// highest number heard of, which may be `seen`.
  virtual std::uint64_t wait(std::uint64_t seen, std::chrono::milliseconds timeout) = 0;

  /// A commit of this process up to `seq` is durable.
  virtual void notify(std::uint64_t seq) noexcept = 0;

  /// Wakes every waiter now, without news.
  virtual void interrupt() noexcept = 0;
};

}  // namespace annals::log
