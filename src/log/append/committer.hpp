#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "annals/log_state.hpp"
#include "annals/options.hpp"
#include "annals/result.hpp"
#include "log/append/append_queue.hpp"
#include "log/append/head_cache.hpp"
#include "log/append/request_preparer.hpp"
#include "log/ports/clock.hpp"
#include "log/ports/commit_observer.hpp"
#include "log/ports/store.hpp"

namespace annals::log {

/// Writes queued requests in groups on a thread of its own: while one group is being flushed, the
/// next one collects. No timer. Owns the head cache, which changes only after a commit succeeded
/// and is trusted only while nobody else has appended.
class Committer {
 public:
  /// `on_foreign_change` is called on the committer's thread after a group that found the log
  /// changed by somebody else, before the group is answered. Everything must outlive the committer.
  Committer(Store& store, AppendQueue& queue, const RequestPreparer& preparer, Clock& clock,
            const LogOptions& options, std::function<void()> on_foreign_change);
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;
  ~Committer();

  /// Starts the thread. `state` is the log's at start; `log.dropped` events are its local writer's.
  void start(const LogState& state);

  /// Closes the queue, writes what is left and ends the thread. An error says that queued events
  /// could not be written. Idempotent.
  Result<void> stop();

  /// Who hears of commits from the next group on; null for nobody. From any thread.
  void observe(std::shared_ptr<CommitObserver> observer);

 private:
  /// The answers of a group, or the error that left nothing of it.
  using GroupResult = Result<std::vector<Result<AppendResult>>>;

  [[nodiscard]] std::shared_ptr<CommitObserver> observer();
  void run();
  void commit(std::vector<PendingAppend> group);
  GroupResult try_group(std::span<const AppendRequest* const> requests);
  GroupResult write_group(WriteTransaction& transaction,
                          std::span<const AppendRequest* const> requests,
                          std::chrono::steady_clock::time_point begun);
  /// After `commit_unknown`: finds out by the ids what happened.
  Result<void> resolve_unknown(const std::vector<Result<AppendResult>>& answers);
  void tell(std::span<const AppendRequest* const> requests,
            const std::vector<Result<AppendResult>>& answers);
  void complete_receipts(std::vector<Result<AppendResult>>& answers);
  std::vector<Result<AppendResult>> isolate(std::span<const AppendRequest* const> requests);
  /// What of a group goes back to the queue, to be tried again.
  enum class Left : std::uint8_t { nothing, queued };

  Left answer(std::vector<PendingAppend> group, std::vector<Result<AppendResult>> answers);
  void report_drops();
  void back_off();

  Store& store_;
  AppendQueue& queue_;
  const RequestPreparer& preparer_;
  Clock& clock_;
  const LogOptions options_;
  const std::function<void()> on_foreign_change_;

  // Not an atomic pointer: that of GCC 12 unlocks without ordering what it guards.
  std::mutex observer_mutex_;
  std::shared_ptr<CommitObserver> observer_;  ///< Under `observer_mutex_`.

  // Used on the committer's thread only.
  HeadCache heads_;
  std::optional<LogState> known_state_;  ///< After our last commit; absent when it must be re-read.
  bool foreign_change_ = false;
  std::uint64_t reported_drops_ = 0;
  unsigned failures_in_row_ = 0;
  Uuid local_key_id_;

  std::optional<Error> lost_;  ///< Written by the thread before it ends.
  std::thread thread_;
};

}  // namespace annals::log
