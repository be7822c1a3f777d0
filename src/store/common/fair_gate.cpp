#include "store/common/fair_gate.hpp"

#include <algorithm>

namespace annals::store {
namespace {

/// Longer than any process waits, and no overflow when added to the clock.
constexpr std::chrono::hours longest_wait{24 * 365};

}  // namespace

FairGate::Hold& FairGate::Hold::operator=(Hold&& other) noexcept {
  if (this != &other) {
    release();
    gate_ = std::exchange(other.gate_, nullptr);
  }
  return *this;
}

void FairGate::Hold::release() noexcept {
  if (auto* gate = std::exchange(gate_, nullptr)) gate->release();
}

std::optional<FairGate::Hold> FairGate::acquire(std::chrono::milliseconds timeout) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::min<std::chrono::milliseconds>(timeout, longest_wait);
  std::unique_lock lock(mutex_);
  if (!held_) {
    held_ = true;
    return Hold(*this);
  }
  Waiter waiter;
  waiting_.push_back(&waiter);
  if (!waiter.granted_signal.wait_until(lock, deadline, [&] { return waiter.granted; })) {
    waiting_.remove(&waiter);
    return std::nullopt;
  }
  return Hold(*this);
}

FairGate::Hold FairGate::acquire() {
  std::unique_lock lock(mutex_);
  if (!held_) {
    held_ = true;
    return Hold(*this);
  }
  Waiter waiter;
  // It leaves the queue when it is granted, before this returns.
  // cppcheck-suppress danglingLifetime
  waiting_.push_back(&waiter);
  waiter.granted_signal.wait(lock, [&] { return waiter.granted; });
  return Hold(*this);
}

std::size_t FairGate::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

void FairGate::release() noexcept {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) {
    held_ = false;
    return;
  }
  // The gate stays held and changes hands, so that nobody who comes now can overtake. Notified
  // under the lock: the waiter's object is gone as soon as it wakes.
  Waiter* next = waiting_.front();
  waiting_.pop_front();
  next->granted = true;
  next->granted_signal.notify_one();
}

}  // namespace annals::store
