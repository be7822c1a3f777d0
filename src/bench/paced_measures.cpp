#include <chrono>
#include <limits>
#include <thread>

#include "bench/runs.hpp"
#include "bench/sample_events.hpp"
#include "bench/window.hpp"

namespace annals::bench {

using std::chrono::steady_clock;

namespace {

constexpr std::uint64_t offered_a_second = 3000;
constexpr std::uint64_t paced_streams = 50;

/// One event at a time at the rate offered, whatever was answered so far: what an answer takes
/// counts from the time the event was due, so that waiting to be sent counts too.
Result<Figures> append_paced(const Bench& bench, Ack ack) {
  auto log = bench.open();
  if (!log) return std::unexpected(std::move(log).error());
  Window requests(std::numeric_limits<std::size_t>::max());
  const auto begun = steady_clock::now();
  for (std::uint64_t i = 0; i < bench.count; ++i) {
    const auto due = begun + std::chrono::microseconds(1'000'000 * i / offered_a_second);
    std::this_thread::sleep_until(due);
    requests.send(**log, {sample_event(i, paced_streams)}, ack, due);
  }
  const auto latency = requests.finish();
  if (!latency) return std::unexpected(latency.error());
  if (auto flushed = (*log)->flush(); !flushed) return std::unexpected(flushed.error());
  const double seconds = seconds_since(begun);
  if (auto sound = check_log(**log, bench.count); !sound) {
    return std::unexpected(std::move(sound).error());
  }
  return Figures{bench.count, seconds, *latency};
}

}  // namespace

Result<Figures> append_paced_durable(const Bench& bench) {
  return append_paced(bench, Ack::durable);
}

Result<Figures> append_paced_queued(const Bench& bench) {
  return append_paced(bench, Ack::queued);
}

}  // namespace annals::bench
