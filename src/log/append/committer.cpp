#include "log/append/committer.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "log/append/commit_outcome.hpp"
#include "log/append/group_plan.hpp"

namespace annals::log {

namespace {

/// How long the queue stays empty before the store may do the housekeeping of an idle log.
constexpr std::chrono::milliseconds idle_after{200};
constexpr std::chrono::milliseconds idle_wait{60'000};
constexpr std::chrono::milliseconds first_back_off{20};
constexpr std::chrono::milliseconds longest_back_off{1000};

/// The store could not take the group now; the requests themselves are not at fault.
bool is_transient(ErrorCode code) {
  switch (code) {
    case ErrorCode::busy:
    case ErrorCode::frozen:
    case ErrorCode::store_unavailable:
    case ErrorCode::store_full:
    case ErrorCode::commit_unknown:
      return true;
    default:
      return false;
  }
}

/// Errors after which trying the requests one by one tells which of them is at fault.
bool may_be_one_request(ErrorCode code) {
  return !is_transient(code) && code != ErrorCode::store_corrupt;
}

/// Lets a request be tried again whose first attempt may have been stored: ids that the log made
/// are looked up like those of a producer.
void expect_repeat(AppendRequest& request) {
  for (core::Draft& draft : request.drafts)
    draft.id_given = true;
}

}  // namespace

Committer::Committer(Store& store, AppendQueue& queue, const RequestPreparer& preparer,
                     Clock& clock, const LogOptions& options,
                     std::function<void()> on_foreign_change)
    : store_(store),
      queue_(queue),
      preparer_(preparer),
      clock_(clock),
      options_(options),
      on_foreign_change_(std::move(on_foreign_change)),
      heads_(options.chain_head_cache) {}

Committer::~Committer() {
  static_cast<void>(stop());
}

void Committer::start(const LogState& state) {
  local_key_id_ = state.local_key_id;
  known_state_ = state;
  thread_ = std::thread([this] { run(); });
}

Result<void> Committer::stop() {
  queue_.close();
  if (thread_.joinable()) thread_.join();
  if (lost_) return std::unexpected(*lost_);
  return {};
}

void Committer::observe(std::shared_ptr<CommitObserver> observer) {
  const std::lock_guard lock(observer_mutex_);
  observer_ = std::move(observer);
}

std::shared_ptr<CommitObserver> Committer::observer() {
  const std::lock_guard lock(observer_mutex_);
  return observer_;
}

void Committer::run() {
  bool maintained_idle = false;
  while (!queue_.drained()) {
    auto group = queue_.take(maintained_idle ? idle_wait : idle_after);
    if (group.empty()) {
      if (!maintained_idle) store_.maintain(true);
      maintained_idle = true;
      continue;
    }
    maintained_idle = false;
    commit(std::move(group));
    store_.maintain(false);
    report_drops();
  }
}

void Committer::commit(std::vector<PendingAppend> group) {
  std::vector<const AppendRequest*> requests;
  requests.reserve(group.size());
  for (const PendingAppend& pending : group)
    requests.push_back(&pending.request);

  auto answers = try_group(requests);
  if (!answers && group.size() > 1 && may_be_one_request(answers.error().code)) {
    answers = isolate(requests);
  }
  // Before the answers: whoever gets one may rely on what it tells of.
  if (std::exchange(foreign_change_, false)) on_foreign_change_();
  const bool decided = answers.has_value();
  if (!decided) {
    answers = std::vector<Result<AppendResult>>(group.size(), std::unexpected(answers.error()));
  }
  // Whoever was answered decides when to try again, and must not be held up by those who cannot.
  if (answer(std::move(group), *std::move(answers)) == Left::queued) {
    back_off();
  } else if (decided) {
    failures_in_row_ = 0;
  }
}

std::vector<Result<AppendResult>> Committer::isolate(
    std::span<const AppendRequest* const> requests) {
  std::vector<Result<AppendResult>> answers;
  answers.reserve(requests.size());
  for (const AppendRequest* request : requests) {
    auto single = try_group({&request, 1});
    if (single) {
      answers.push_back(std::move(single->front()));
    } else {
      answers.emplace_back(std::unexpected(std::move(single).error()));
    }
  }
  return answers;
}

Committer::GroupResult Committer::try_group(std::span<const AppendRequest* const> requests) {
  const auto begun = std::chrono::steady_clock::now();
  auto transaction = store_.begin_write(options_.append.queue_timeout);
  if (!transaction) return std::unexpected(std::move(transaction).error());
  auto answers = write_group(**transaction, requests, begun);
  if (!answers) {
    // What the cache holds may rest on what was just rolled back or lost.
    known_state_.reset();
    return answers;
  }
  transaction->reset();
  tell(requests, *answers);
  complete_receipts(*answers);
  return answers;
}

Committer::GroupResult Committer::write_group(WriteTransaction& transaction,
                                              std::span<const AppendRequest* const> requests,
                                              std::chrono::steady_clock::time_point begun) {
  auto state = transaction.lock_state();
  if (!state) return std::unexpected(std::move(state).error());
  if (const auto heard = observer()) {
    heard->on_lock(std::chrono::steady_clock::now() - begun);
  }
  if (auto accepts = check_accepts(*state); !accepts) {
    return std::unexpected(std::move(accepts).error());
  }
  if (known_state_ != *state) {
    heads_.clear();
    foreign_change_ = true;
  }
  GroupPlan plan(transaction, store_, *state, clock_.now(), options_.append.idempotency_window);
  if (auto loaded = plan.load(requests, &heads_); !loaded) {
    return std::unexpected(std::move(loaded).error());
  }
  std::vector<Result<AppendResult>> answers;
  answers.reserve(requests.size());
  for (const AppendRequest* request : requests)
    answers.push_back(plan.decide(*request));
  if (!plan.writes()) {
    known_state_ = *std::move(state);
    return answers;
  }
  auto written = plan.write();
  if (!written) return std::unexpected(std::move(written).error());
  if (auto committed = transaction.commit(); !committed) {
    if (committed.error().code != ErrorCode::commit_unknown) {
      return std::unexpected(std::move(committed).error());
    }
    if (auto resolved = resolve_unknown(answers); !resolved) {
      return std::unexpected(std::move(resolved).error());
    }
    known_state_.reset();
    return answers;
  }
  for (const StreamHead& head : written->heads)
    heads_.put(head);
  known_state_ = std::move(written->state);
  return answers;
}

Result<void> Committer::resolve_unknown(const std::vector<Result<AppendResult>>& answers) {
  // The group is one transaction: the outcome of one request that wrote is the outcome of all.
  for (const auto& answered : answers) {
    if (answered && !answered->duplicate) return find_outcome(store_.events(), answered->events);
  }
  return {};
}

void Committer::tell(std::span<const AppendRequest* const> requests,
                     const std::vector<Result<AppendResult>>& answers) {
  const auto heard = observer();
  if (!heard) return;
  std::size_t events = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!answers[i] || answers[i]->duplicate) continue;
    for (const core::Draft& draft : requests[i]->drafts) {
      heard->on_event(draft.event.type);
      ++events;
    }
  }
  if (events != 0) heard->on_commit(events);
}

void Committer::complete_receipts(std::vector<Result<AppendResult>>& answers) {
  for (auto& answered : answers) {
    if (!answered) continue;
    if (auto completed = complete_receipt(store_.events(), *answered); !completed) {
      answered = std::unexpected(std::move(completed).error());
    }
  }
}

Committer::Left Committer::answer(std::vector<PendingAppend> group,
                                  std::vector<Result<AppendResult>> answers) {
  std::vector<PendingAppend> again;
  std::optional<Error> failure;
  // A closed queue means that this is the last chance: what fails now is lost, and said so.
  const bool last_chance = queue_.closed();
  for (std::size_t i = 0; i < group.size(); ++i) {
    PendingAppend& pending = group[i];
    if (pending.done) {
      pending.done(std::move(answers[i]));
      continue;
    }
    if (answers[i]) continue;
    const Error& error = answers[i].error();
    if (!failure) failure = error;
    if (!is_transient(error.code)) continue;
    if (last_chance) {
      lost_ = error;
    } else {
      if (error.code == ErrorCode::commit_unknown) expect_repeat(pending.request);
      again.push_back(std::move(pending));
    }
  }
  const Left left = again.empty() ? Left::nothing : Left::queued;
  queue_.finish(std::move(again), failure);
  return left;
}

void Committer::report_drops() {
  const std::uint64_t dropped = queue_.dropped();
  if (dropped == reported_drops_ || !queue_.idle()) return;
  NewEvent event;
  event.type = "log.dropped";
  event.payload = "{\"events\":" + std::to_string(dropped - reported_drops_) + "}";
  auto draft = preparer_.prepare_own(local_key_id_, event);
  if (!draft) return;
  AppendRequest request;
  request.key_id = local_key_id_;
  request.drafts.push_back(*std::move(draft));
  const AppendRequest* only = &request;
  // A failure leaves the count unreported; the next group tries again.
  if (try_group({&only, 1})) reported_drops_ = dropped;
}

void Committer::back_off() {
  const auto wait =
      std::min(longest_back_off, first_back_off * (1U << std::min(failures_in_row_, 6U)));
  ++failures_in_row_;
  queue_.pause(wait);
}

}  // namespace annals::log
