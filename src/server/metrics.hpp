#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "core/catalogue.hpp"
#include "log/ports/commit_observer.hpp"
#include "wire/exposition.hpp"

namespace annals::server {

/// A number that only grows. Thread-safe.
class Counter {
 public:
  void add(std::uint64_t count = 1) noexcept { value_.fetch_add(count, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// How whole numbers are spread over fixed bounds. Thread-safe: a snapshot taken meanwhile may lack
/// the newest values in one of its members.
class Histogram {
 public:
  /// `bounds` ascend, at most `max_bounds`, in the unit that is written; `unit` is how many of what
  /// is observed make one of it. The bounds must outlive this.
  Histogram(std::span<const double> bounds, double unit) : bounds_(bounds), unit_(unit) {}

  /// `count` values of `value` each.
  void observe(std::uint64_t value, std::uint64_t count = 1) noexcept;

  /// A time, in nanoseconds; one that runs backwards counts as none.
  void observe(std::chrono::nanoseconds time, std::uint64_t count = 1) noexcept {
    observe(static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0)), count);
  }

  void write(wire::Exposition& out, std::string_view name, std::string_view help) const;

  static constexpr std::size_t max_bounds = 15;

 private:
  std::span<const double> bounds_;
  double unit_;
  std::array<std::atomic<std::uint64_t>, max_bounds + 1> buckets_{};
  std::atomic<std::uint64_t> sum_{0};
};

/// New events by type: those of the catalogue, by the pattern that declares them; all the rest is
/// `other`, so that nobody can make a label of their own. Thread-safe.
class TypeCounters {
 public:
  /// An event of the group being committed. On the committer's thread, as `end_group`.
  void add(const core::Catalogue& catalogue, std::string_view type);

  /// The group is committed: its events count from now on.
  void end_group();

  void write(wire::Exposition& out, std::string_view name, std::string_view help) const;

 private:
  using Counts = std::map<std::string, std::uint64_t, std::less<>>;

  Counts group_;  ///< Of the committer's thread: one lock a group, not one an event.
  mutable std::mutex mutex_;
  Counts counts_;  // under mutex_
};

/// What a server counts. Thread-safe.
class Metrics final : public log::CommitObserver {
 public:
  using CatalogueNow = std::function<std::shared_ptr<const core::Catalogue>()>;

  /// `catalogue` tells the one in force; it is called on the committer's thread.
  explicit Metrics(CatalogueNow catalogue);

  // CommitObserver
  void on_lock(std::chrono::nanoseconds waited) noexcept override;
  void on_event(std::string_view type) noexcept override;
  void on_commit(std::size_t events) noexcept override;

  /// A request was answered.
  void on_answer(int status) noexcept;

  /// A stream ended for one of the reasons of its log line.
  void on_disconnect(std::string_view reason);

  /// Everything counted here.
  void write(wire::Exposition& out) const;

  Histogram append_seconds;        ///< From the head of an append to its answer.
  Histogram delivery_lag_seconds;  ///< From `recorded_at` to the socket, of live events.
  Counter events_delivered;
  Counter events_replayed;  ///< Of those, events that were there before their reader.

 private:
  static constexpr std::size_t status_codes = 600;

  CatalogueNow catalogue_now_;
  std::shared_ptr<const core::Catalogue> catalogue_;  ///< Of the group being committed.
  TypeCounters appended_;
  Histogram batch_events_;
  Histogram lock_wait_seconds_;
  std::array<Counter, status_codes> answers_;
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t, std::less<>> disconnects_;  // under mutex_
};

}  // namespace annals::server
