#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "annals/append.hpp"
#include "annals/options.hpp"
#include "annals/result.hpp"
#include "log/append/key_lanes.hpp"
#include "log/append/pending_append.hpp"

namespace annals::log {

/// The bounded queue between producers and the committer. The requests of a key keep their order of
/// arrival, and all do while a group has room for what is queued; beyond that the keys take turns,
/// in groups as in waiting for room. Thread-safe; `take` is for one consumer. Completions are
/// called without the lock held.
class AppendQueue {
 public:
  explicit AppendQueue(AppendLimits limits);

  /// What `push` did with a request.
  enum class Push { admitted, waiting, dropped, closed };

  /// Hands a request over. One that finds the queue full waits until its deadline, or is dropped
  /// when it says so (never a critical one). Its completion is called here with `busy` when
  /// dropped, with `store_unavailable` when closed.
  Push push(PendingAppend pending, Overflow overflow);

  /// Waits up to `timeout` for work and takes the next group, in order of arrival: requests up to
  /// `append.group_max_events`, in turns of their keys when there are more, ending before one that
  /// repeats an id, a client_msg_id or an idempotency key of the group, so that it sees the group's
  /// outcome. Empty after the timeout or when closed and drained.
  std::vector<PendingAppend> take(std::chrono::milliseconds timeout);

  /// Ends the group taken last. Its requests are answered, durable or refused, but for those in
  /// `again`, which go back to the front in order. `failure` is what `flush` is to tell, if
  /// anything.
  void finish(std::vector<PendingAppend> again, const std::optional<Error>& failure);

  /// Waits until everything that arrived before is settled, or until an attempt has failed; see
  /// `EventLog::flush`.
  Result<void> flush();

  /// Waits `time` without taking, or until the queue is closed: the consumer's pause after a failed
  /// attempt.
  void pause(std::chrono::milliseconds time);

  /// No more pushes; what is queued is still taken.
  void close();

  [[nodiscard]] bool closed() const;

  /// True when closed and nothing is left.
  [[nodiscard]] bool drained() const;

  /// True when nothing is queued now.
  [[nodiscard]] bool idle() const;

  /// Events dropped since the start.
  [[nodiscard]] std::uint64_t dropped() const;

 private:
  bool has_room(const PendingAppend& pending) const;
  /// Lowest ticket that is not settled yet.
  std::uint64_t oldest_open() const;
  /// Admits waiting requests while there is room and collects what has to be called.
  void admit_waiting(std::vector<std::function<void()>>& calls);
  static void answer_queued(PendingAppend& pending, std::vector<std::function<void()>>& calls);

  const AppendLimits limits_;

  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable settled_changed_;
  // Guarded by mutex_.
  KeyLanes admitted_;
  KeyLanes waiting_;
  std::size_t bytes_ = 0;
  std::uint64_t last_ticket_ = 0;
  std::optional<std::uint64_t> in_flight_;  ///< Lowest ticket of the group being written.
  std::uint64_t dropped_ = 0;
  std::optional<Error> failure_;  ///< First one since the last flush.
  bool closed_ = false;
};

}  // namespace annals::log
