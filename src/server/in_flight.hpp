#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>

namespace annals::server {

/// Counts what is under way, so that nothing it needs is destroyed before it has ended.
/// Thread-safe; must outlive its tokens.
class InFlight {
 public:
  /// Held as long as it is under way.
  [[nodiscard]] std::shared_ptr<void> token() {
    const std::lock_guard lock{mutex_};
    ++count_;
    return {this, [this](void*) { release(); }};
  }

  /// Blocks until no token is held.
  void wait() {
    std::unique_lock lock{mutex_};
    idle_.wait(lock, [this] { return count_ == 0; });
  }

  /// The same, for `time` at most; false when some are held still.
  bool wait_for(std::chrono::milliseconds time) {
    std::unique_lock lock{mutex_};
    return idle_.wait_for(lock, time, [this] { return count_ == 0; });
  }

 private:
  void release() {
    const std::lock_guard lock{mutex_};
    if (--count_ == 0) idle_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable idle_;
  std::size_t count_ = 0;  // under mutex_
};

}  // namespace annals::server
