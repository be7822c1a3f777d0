#include "log/unit/unit_watchdog.hpp"

#include <chrono>

namespace annals::log {

UnitWatchdog::~UnitWatchdog() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void UnitWatchdog::watch(const std::shared_ptr<UnitTransaction>& unit) {
  {
    const std::lock_guard lock(mutex_);
    while (!units_.empty() && units_.front().expired())
      units_.pop_front();
    units_.push_back(unit);
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    // The thread sleeps until the oldest deadline; a later one needs no wake-up.
    if (units_.size() > 1) return;
  }
  changed_.notify_all();
}

void UnitWatchdog::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (units_.empty()) {
      changed_.wait(lock, [this] { return stopping_ || !units_.empty(); });
      continue;
    }
    auto unit = units_.front().lock();
    if (!unit) {
      units_.pop_front();
      continue;
    }
    const auto now = std::chrono::steady_clock::now();
    if (const auto deadline = unit->deadline(); now < deadline) {
      unit.reset();
      changed_.wait_until(lock, deadline, [this] { return stopping_; });
      continue;
    }
    units_.pop_front();
    lock.unlock();
    unit->expire(now);
    lock.lock();
  }
}

}  // namespace annals::log
