#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "annals/read.hpp"
#include "annals/result.hpp"
#include "log/ports/store.hpp"
#include "log/sinks.hpp"
#include "log/tail_contiguity.hpp"

namespace annals::log {

/// How the tail reads. The names are the configuration keys `tail.*`.
struct TailOptions {
  std::size_t batch_size = 500;                   ///< 1 to 1000 events.
  std::chrono::milliseconds poll_interval{1000};  ///< Longest wait without looking at the store.
  std::chrono::milliseconds reconnect_backoff_cap{30'000};
};

/// What the tail did since it started. Plain value.
struct TailCounters {
  std::uint64_t events = 0;        ///< Delivered to all sinks.
  std::uint64_t batches = 0;       ///< Delivered to all sinks.
  std::uint64_t holes = 0;         ///< Explained holes stepped over.
  std::uint64_t hole_numbers = 0;  ///< Numbers in them.
  std::uint64_t store_errors = 0;  ///< Reads that failed and were tried again.
};

/// Why a tail stopped by itself. The process must end: it would look healthy without fan-out.
struct TailFailure {
  enum class Reason : std::uint8_t {
    gap,    ///< Numbers are missing and nothing explains it: a defect of the store.
    sink,   ///< A sink failed.
    store,  ///< The store failed in a way that does not pass.
  };
  Reason reason = Reason::gap;
  Error error;
};

/// Follows the log on its own thread and feeds the sinks in order. It starts at the head: what was
/// committed before is not delivered. Every later record is delivered once, in order, to every
/// sink; only then does the tail's head advance. A change signal is a wake-up only; what is
/// delivered was read from the store. A store that cannot be reached is tried again, with growing
/// distance, and nothing is lost or repeated.
///
/// `start` and `stop` are for one owner; the rest is thread-safe. Store and sinks must outlive
/// this.
class Tail {
 public:
  /// Called once, on the tail's thread, when it stopped by itself. Must not call `stop` or destroy
  /// the tail.
  using OnFatal = std::function<void(const TailFailure&)>;

  Tail(Store& store, TailOptions options, std::vector<Sink*> sinks, OnFatal on_fatal);
  Tail(const Tail&) = delete;
  Tail& operator=(const Tail&) = delete;

  /// Stops.
  ~Tail();

  /// Reads the head and starts to follow it. Errors: the store's; may then be called again.
  Result<void> start();

  /// Stops and waits until the batch being delivered is through. Idempotent.
  void stop() noexcept;

  /// The highest seq that all sinks have taken, or the log's head at the start.
  [[nodiscard]] std::uint64_t head() const noexcept { return head_.load(); }

  [[nodiscard]] TailCounters counters() const;

  /// How long ago the store last told of something new by itself; since the start while it never
  /// has. Grows while nothing happens; beside events that go on, it says that only polling finds
  /// them.
  [[nodiscard]] std::chrono::nanoseconds notify_age() const;

 private:
  void run(const std::stop_token& stopping);
  bool follow(const std::stop_token& stopping);
  Result<Page> next_page(Contiguity& contiguity);
  bool accept(const Page& page, const Contiguity& contiguity);
  void back_off(const std::stop_token& stopping);
  void fatal(TailFailure::Reason reason, Error error);

  Store& store_;
  const TailOptions options_;
  const std::vector<Sink*> sinks_;
  const OnFatal on_fatal_;
  std::atomic<std::uint64_t> head_{0};

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  TailCounters counters_;                              // under mutex_
  std::chrono::steady_clock::time_point notified_at_;  // under mutex_
  bool ended_ = true;  // under mutex_; the thread is past its last wait

  std::chrono::milliseconds back_off_{0};  ///< Tail's thread only.
  std::jthread thread_;                    ///< Last: joined while the rest is alive.
};

}  // namespace annals::log
