#include "log/append/append_queue.hpp"

#include <algorithm>
#include <ranges>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace annals::log {

namespace {

Error queue_full(std::chrono::milliseconds retry_after) {
  return {ErrorCode::busy, "the append queue is full", {}, retry_after};
}

Error queue_closed() {
  return {ErrorCode::store_unavailable, "the log is stopped", {}, {}};
}

constexpr std::chrono::milliseconds busy_retry_after{1000};

/// Ids, references and idempotency keys of one group.
class GroupMarks {
 public:
  /// True when `request` names something that the group names already.
  [[nodiscard]] bool repeated_by(const AppendRequest& request) const {
    if (request.idempotency_key && keys_.contains({request.key_id, *request.idempotency_key})) {
      return true;
    }
    for (const core::Draft& draft : request.drafts) {
      if (draft.id_given && ids_.contains(draft.id)) return true;
      const auto& reference = draft.event.meta.client_msg_id;
      if (reference && references_.contains({request.key_id, *reference})) return true;
    }
    return false;
  }

  void add(const AppendRequest& request) {
    if (request.idempotency_key) keys_.emplace(request.key_id, *request.idempotency_key);
    for (const core::Draft& draft : request.drafts) {
      if (draft.id_given) ids_.insert(draft.id);
      const auto& reference = draft.event.meta.client_msg_id;
      if (reference) references_.emplace(request.key_id, *reference);
    }
  }

 private:
  std::unordered_set<Uuid> ids_;
  std::set<std::pair<Uuid, std::string>> references_;
  std::set<std::pair<Uuid, std::string>> keys_;
};

}  // namespace

AppendQueue::AppendQueue(AppendLimits limits) : limits_(limits) {}

bool AppendQueue::has_room(const PendingAppend& pending) const {
  return bytes_ == 0 || bytes_ + pending.request.bytes <= limits_.queue_max_bytes;
}

void AppendQueue::answer_queued(PendingAppend& pending, std::vector<std::function<void()>>& calls) {
  if (!pending.queued || !pending.done) return;
  AppendResult result;
  result.durable = false;
  result.events.reserve(pending.request.drafts.size());
  for (const core::Draft& draft : pending.request.drafts) {
    AppendedEvent event;
    event.id = draft.id;
    event.client_msg_id = draft.event.meta.client_msg_id;
    result.events.push_back(std::move(event));
  }
  calls.emplace_back(
      [done = std::exchange(pending.done, nullptr), result = std::move(result)] { done(result); });
}

AppendQueue::Push AppendQueue::push(PendingAppend pending, Overflow overflow) {
  std::vector<std::function<void()>> calls;
  Push outcome = Push::admitted;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) {
      outcome = Push::closed;
      calls.emplace_back(
          [done = std::move(pending.done)] { done(std::unexpected(queue_closed())); });
    } else if (waiting_.empty() && has_room(pending)) {
      bytes_ += pending.request.bytes;
      pending.ticket = ++last_ticket_;
      answer_queued(pending, calls);
      admitted_.push(std::move(pending));
    } else if (overflow == Overflow::drop && !pending.request.critical) {
      dropped_ += pending.request.drafts.size();
      outcome = Push::dropped;
      calls.emplace_back([done = std::move(pending.done)] {
        Error error = queue_full(busy_retry_after);
        error.detail += "; the request was dropped and counted";
        done(std::unexpected(std::move(error)));
      });
    } else {
      pending.ticket = ++last_ticket_;
      waiting_.push(std::move(pending));
      outcome = Push::waiting;
    }
  }
  if (outcome == Push::admitted) work_.notify_one();
  for (const auto& call : calls)
    call();
  return outcome;
}

void AppendQueue::admit_waiting(std::vector<std::function<void()>>& calls) {
  const auto now = std::chrono::steady_clock::now();
  while (!waiting_.empty() && has_room(waiting_.next_in_turn())) {
    PendingAppend next = waiting_.take();
    bytes_ += next.request.bytes;
    answer_queued(next, calls);
    admitted_.push(std::move(next));
  }
  while (auto expired = waiting_.take_expired(now)) {
    calls.emplace_back(
        [done = std::move(expired->done)] { done(std::unexpected(queue_full(busy_retry_after))); });
  }
}

std::vector<PendingAppend> AppendQueue::take(std::chrono::milliseconds timeout) {
  std::vector<PendingAppend> group;
  std::vector<std::function<void()>> calls;
  {
    std::unique_lock lock(mutex_);
    work_.wait_for(lock, timeout, [this] { return closed_ || !admitted_.empty(); });
    GroupMarks marks;
    std::size_t events = 0;
    const bool in_turns = admitted_.events() > limits_.group_max_events;
    while (!admitted_.empty() && events < limits_.group_max_events) {
      const PendingAppend& next = in_turns ? admitted_.next_in_turn() : admitted_.first();
      if (marks.repeated_by(next.request)) break;
      marks.add(next.request);
      events += next.request.drafts.size();
      bytes_ -= next.request.bytes;
      group.push_back(admitted_.take());
    }
    std::ranges::sort(group, {}, &PendingAppend::ticket);
    if (!group.empty()) in_flight_ = group.front().ticket;
    admit_waiting(calls);
  }
  // A waiting request may just have given up.
  if (!calls.empty()) settled_changed_.notify_all();
  for (const auto& call : calls)
    call();
  return group;
}

std::uint64_t AppendQueue::oldest_open() const {
  auto oldest = in_flight_.value_or(last_ticket_ + 1);
  if (!admitted_.empty()) oldest = std::min(oldest, admitted_.lowest_ticket());
  if (!waiting_.empty()) oldest = std::min(oldest, waiting_.lowest_ticket());
  return oldest;
}

void AppendQueue::finish(std::vector<PendingAppend> again, const std::optional<Error>& failure) {
  {
    const std::lock_guard lock(mutex_);
    for (PendingAppend& pending : std::views::reverse(again)) {
      bytes_ += pending.request.bytes;
      admitted_.push_front(std::move(pending));
    }
    in_flight_.reset();
    if (failure && !failure_) failure_ = failure;
  }
  settled_changed_.notify_all();
}

Result<void> AppendQueue::flush() {
  std::unique_lock lock(mutex_);
  const std::uint64_t target = last_ticket_;
  settled_changed_.wait(lock, [&] { return oldest_open() > target || failure_.has_value(); });
  if (auto failure = std::exchange(failure_, std::nullopt)) {
    return std::unexpected(*std::move(failure));
  }
  return {};
}

void AppendQueue::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  work_.notify_all();
}

void AppendQueue::pause(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  work_.wait_for(lock, time, [this] { return closed_; });
}

bool AppendQueue::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

bool AppendQueue::drained() const {
  const std::lock_guard lock(mutex_);
  return closed_ && admitted_.empty() && waiting_.empty();
}

bool AppendQueue::idle() const {
  const std::lock_guard lock(mutex_);
  return admitted_.empty();
}

std::uint64_t AppendQueue::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

}  // namespace annals::log
