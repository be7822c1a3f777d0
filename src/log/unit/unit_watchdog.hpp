#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "log/unit/unit_transaction.hpp"

namespace annals::log {

/// Ends units of work that outlive their deadline, so that a forgotten one cannot hold the write
/// lock for ever. The thread starts with the first unit. Thread-safe.
class UnitWatchdog {
 public:
  UnitWatchdog() = default;
  UnitWatchdog(const UnitWatchdog&) = delete;
  UnitWatchdog& operator=(const UnitWatchdog&) = delete;
  ~UnitWatchdog();

  /// Watches a unit until it ends. Deadlines arrive in order, as all units last equally long.
  void watch(const std::shared_ptr<UnitTransaction>& unit);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::deque<std::weak_ptr<UnitTransaction>> units_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace annals::log
