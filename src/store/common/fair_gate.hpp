#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <utility>

namespace annals::store {

/// A mutual exclusion that is granted in order of arrival and waited for with a limit. Thread-safe;
/// the holder may be released on another thread than it was acquired on.
class FairGate {
 public:
  /// The right to pass, given back by the destructor. Must not outlive its gate.
  class Hold {
   public:
    Hold(Hold&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Hold& operator=(Hold&& other) noexcept;
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { release(); }

    /// Lets the next one pass. Idempotent.
    void release() noexcept;

   private:
    friend class FairGate;
    explicit Hold(FairGate& gate) noexcept : gate_(&gate) {}

    FairGate* gate_;
  };

  FairGate() = default;
  FairGate(const FairGate&) = delete;
  FairGate& operator=(const FairGate&) = delete;
  ~FairGate() = default;

  /// Waits behind everybody who came before; `nullopt` when `timeout` passes first. A timeout of
  /// zero or less only takes a free gate.
  [[nodiscard]] std::optional<Hold> acquire(std::chrono::milliseconds timeout);

  /// Waits without a limit.
  [[nodiscard]] Hold acquire();

  /// How many wait now.
  [[nodiscard]] std::size_t waiting() const;

 private:
  struct Waiter {
    std::condition_variable granted_signal;
    bool granted = false;
  };

  void release() noexcept;

  mutable std::mutex mutex_;  ///< Protects everything below.
  bool held_ = false;
  std::list<Waiter*> waiting_;  ///< In order of arrival.
};

}  // namespace annals::store
