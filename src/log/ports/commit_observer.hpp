#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace annals::log {

/// Hears what the committer does, for measurements. Called on the committer's thread, in the path
/// of every append: must be quick, must not block, must not call the log.
class CommitObserver {
 public:
  virtual ~CommitObserver() = default;

  /// The lock of the sequence was had after this wait.
  virtual void on_lock(std::chrono::nanoseconds waited) noexcept = 0;

  /// One event of a group that is committed now.
  virtual void on_event(std::string_view type) noexcept = 0;

  /// A group is committed; it holds so many new events, at least one.
  virtual void on_commit(std::size_t events) noexcept = 0;
};

}  // namespace annals::log
