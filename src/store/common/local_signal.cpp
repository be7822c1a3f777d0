#include "store/common/local_signal.hpp"

#include <algorithm>
#include <utility>

namespace annals::store {

using std::chrono::steady_clock;

namespace {

/// Longer than any process waits, and no overflow when added to the clock.
constexpr std::chrono::hours longest_wait{24 * 365};

}  // namespace

LocalSignal::LocalSignal(Poll poll, std::chrono::milliseconds interval)
    : poll_(std::move(poll)),
      interval_(interval) {}

std::uint64_t LocalSignal::wait(std::uint64_t seen, std::chrono::milliseconds timeout) {
  const auto deadline =
      steady_clock::now() + std::min<std::chrono::milliseconds>(timeout, longest_wait);
  std::unique_lock lock(mutex_);
  const auto interrupts = interrupts_;
  while (highest_ <= seen && interrupts_ == interrupts) {
    if (poll_ && begin_poll()) {
      lock.unlock();
      const auto found = poll_();
      lock.lock();
      end_poll(found);
      continue;
    }
    const auto now = steady_clock::now();
    if (now >= deadline) break;
    const auto until =
        poll_ ? std::min(deadline, std::max(next_poll_, now + interval_ / 10)) : deadline;
    changed_.wait_until(lock, until);
  }
  return std::max(highest_, seen);
}

bool LocalSignal::begin_poll() {
  if (polling_ || steady_clock::now() < next_poll_) return false;
  polling_ = true;
  return true;
}

void LocalSignal::end_poll(std::uint64_t found) {
  polling_ = false;
  next_poll_ = steady_clock::now() + interval_;
  if (found > highest_) {
    highest_ = found;
    changed_.notify_all();
  }
}

void LocalSignal::notify(std::uint64_t seq) noexcept {
  const std::lock_guard lock(mutex_);
  if (seq <= highest_) return;
  highest_ = seq;
  changed_.notify_all();
}

void LocalSignal::interrupt() noexcept {
  const std::lock_guard lock(mutex_);
  ++interrupts_;
  changed_.notify_all();
}

}  // namespace annals::store
