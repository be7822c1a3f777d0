#include "log/tail.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace annals::log {

namespace {

/// How often a stopping owner repeats the interrupt, which a tail just about to wait may miss.
constexpr std::chrono::milliseconds interrupt_interval{5};

bool passes(const Error& error) noexcept {
  return error.kind() == ErrorKind::unavailable || error.kind() == ErrorKind::busy;
}

}  // namespace

Tail::Tail(Store& store, TailOptions options, std::vector<Sink*> sinks, OnFatal on_fatal)
    : store_(store),
      options_(options),
      sinks_(std::move(sinks)),
      on_fatal_(std::move(on_fatal)) {}

Tail::~Tail() {
  stop();
}

Result<void> Tail::start() {
  const auto state = store_.events().state();
  if (!state) return std::unexpected(state.error());
  head_ = state->event_seq;
  {
    const std::scoped_lock lock(mutex_);
    ended_ = false;
    notified_at_ = std::chrono::steady_clock::now();
  }
  thread_ = std::jthread([this](const std::stop_token& stopping) { run(stopping); });
  return {};
}

void Tail::stop() noexcept {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  {
    std::unique_lock lock(mutex_);
    while (!ended_) {
      lock.unlock();
      store_.changes().interrupt();
      lock.lock();
      changed_.wait_for(lock, interrupt_interval, [this] { return ended_; });
    }
  }
  thread_.join();
}

TailCounters Tail::counters() const {
  const std::scoped_lock lock(mutex_);
  return counters_;
}

std::chrono::nanoseconds Tail::notify_age() const {
  const std::scoped_lock lock(mutex_);
  return std::chrono::steady_clock::now() - notified_at_;
}

void Tail::run(const std::stop_token& stopping) {
  while (!stopping.stop_requested() && follow(stopping)) {
    if (stopping.stop_requested()) break;
    if (store_.changes().wait(head(), options_.poll_interval) <= head()) continue;
    const std::scoped_lock lock(mutex_);
    notified_at_ = std::chrono::steady_clock::now();
  }
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
}

/// Reads up to the head of the log. False when the tail is over.
bool Tail::follow(const std::stop_token& stopping) {
  while (!stopping.stop_requested()) {
    Contiguity contiguity;
    const auto page = next_page(contiguity);
    if (!page && passes(page.error())) {
      back_off(stopping);
      continue;
    }
    if (!page) {
      fatal(TailFailure::Reason::store, page.error());
      return false;
    }
    back_off_ = {};
    if (!accept(*page, contiguity)) return false;
    if (head() >= page->head) return true;
  }
  return true;
}

Result<Page> Tail::next_page(Contiguity& contiguity) {
  auto& events = store_.events();
  auto page = events.page({.after = head(), .limit = options_.batch_size});
  if (!page) return page;
  contiguity = check_contiguity(head(), *page, {});
  if (!contiguity.missing) return page;
  auto gaps = events.gaps();
  if (!gaps) return std::unexpected(std::move(gaps.error()));
  std::ranges::sort(*gaps, {}, &Gap::from);
  contiguity = check_contiguity(head(), *page, *gaps);
  return page;
}

bool Tail::accept(const Page& page, const Contiguity& contiguity) {
  if (contiguity.missing) {
    fatal(TailFailure::Reason::gap,
          {ErrorCode::internal,
           "event " + std::to_string(*contiguity.missing) + " is missing and nothing explains it",
           {},
           {}});
    return false;
  }
  if (!page.records.empty()) {
    for (Sink* sink : sinks_) {
      if (const auto taken = sink->deliver(page.records); !taken) {
        fatal(TailFailure::Reason::sink, taken.error());
        return false;
      }
    }
  }
  {
    const std::scoped_lock lock(mutex_);
    counters_.events += page.records.size();
    counters_.batches += page.records.empty() ? 0 : 1;
    counters_.holes += contiguity.holes;
    counters_.hole_numbers += contiguity.numbers;
  }
  head_ = contiguity.end;
  return true;
}

void Tail::back_off(const std::stop_token& stopping) {
  back_off_ =
      std::max(options_.poll_interval, std::min(back_off_ * 2, options_.reconnect_backoff_cap));
  std::unique_lock lock(mutex_);
  ++counters_.store_errors;
  // Only a stop ends the wait early.
  changed_.wait_for(lock, stopping, back_off_, [] { return false; });
}

void Tail::fatal(TailFailure::Reason reason, Error error) {
  if (on_fatal_) on_fatal_({reason, std::move(error)});
}

}  // namespace annals::log
