#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bench/runs.hpp"
#include "bench/sample_events.hpp"
#include "bench/window.hpp"

namespace annals::bench {

using std::chrono::steady_clock;

namespace {

constexpr std::size_t in_flight = 256;
constexpr std::size_t batch = 1000;

/// Batches unanswered at a time: the next one is there when one is written.
constexpr std::size_t batches_in_flight = 4;

/// How many events of a large log are measured.
constexpr std::uint64_t last_measured = 100'000;

/// Requests of `size` events each, `window` of them unanswered, while `more` says so.
template <typename More>
Result<Figures> append_windowed(const Bench& bench, std::size_t window, std::size_t size,
                                const More& more) {
  auto log = bench.open();
  if (!log) return std::unexpected(std::move(log).error());
  Figures figures;
  const auto begun = steady_clock::now();
  {
    Window requests(window);
    for (; more(figures.events, steady_clock::now() - begun); figures.events += size)
      requests.send(**log, sample_events(figures.events, size));
    const auto latency = requests.finish();
    if (!latency) return std::unexpected(latency.error());
    figures.seconds = seconds_since(begun);
    figures.latency = *latency;
  }
  if (auto sound = check_log(**log, figures.events); !sound) {
    return std::unexpected(std::move(sound).error());
  }
  return figures;
}

}  // namespace

Result<void> check_log(const EventLog& log, std::uint64_t count) {
  const auto report = log.verify({});
  if (!report) return std::unexpected(report.error());
  if (report->clean() && report->events == count) return {};
  return fail(ErrorCode::store_corrupt,
              "the log does not hold what was appended: " + std::to_string(report->events) +
                  " of " + std::to_string(count) + " events, " +
                  std::to_string(report->findings.size()) + " findings");
}

Result<Figures> append_single(const Bench& bench) {
  return append_windowed(bench, 1, 1,
                         [&](std::uint64_t sent, auto /*time*/) { return sent < bench.count; });
}

Result<Figures> append_batches(const Bench& bench) {
  return append_windowed(bench, batches_in_flight, batch,
                         [&](std::uint64_t sent, auto /*time*/) { return sent < bench.count; });
}

Result<Figures> append_in_flight(const Bench& bench) {
  return append_windowed(bench, in_flight, 1,
                         [&](std::uint64_t sent, auto /*time*/) { return sent < bench.count; });
}

Result<Figures> append_for_a_minute(const Bench& bench) {
  return append_windowed(bench, in_flight, 1, [&](std::uint64_t /*sent*/, auto time) {
    return time < std::chrono::seconds(bench.count);
  });
}

/// The log grows in batches until `count - last_measured` events, which is not measured.
Result<Figures> append_to_a_large_log(const Bench& bench) {
  auto log = bench.open();
  if (!log) return std::unexpected(std::move(log).error());
  std::uint64_t number = 0;
  {
    Window batches(batches_in_flight);
    for (; number + last_measured < bench.count; number += batch)
      batches.send(**log, sample_events(number, batch));
    if (const auto grown = batches.finish(); !grown) return std::unexpected(grown.error());
  }
  const auto begun = steady_clock::now();
  Window requests(in_flight);
  std::uint64_t appended = 0;
  for (; number < bench.count; ++number, ++appended)
    requests.send(**log, {sample_event(number)});
  const auto latency = requests.finish();
  if (!latency) return std::unexpected(latency.error());
  const double seconds = seconds_since(begun);
  if (auto sound = check_log(**log, number); !sound) {
    return std::unexpected(std::move(sound).error());
  }
  return Figures{appended, seconds, *latency};
}

Result<Figures> append_threads(const Bench& bench) {
  auto log = bench.open();
  if (!log) return std::unexpected(std::move(log).error());
  std::atomic<std::uint64_t> next = 0;
  std::mutex mutex;
  Latencies latencies;
  std::optional<Error> error;
  const auto begun = steady_clock::now();
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < in_flight; ++i) {
      threads.emplace_back([&] {
        for (auto number = next++; number < bench.count; number = next++) {
          const auto sent = steady_clock::now();
          const auto appended = (*log)->append((*log)->local_admin(), sample_event(number));
          const auto time = steady_clock::now() - sent;
          const std::lock_guard lock(mutex);
          latencies.add(time);
          if (!appended && !error) error = appended.error();
        }
      });
    }
  }
  const double seconds = seconds_since(begun);
  if (error) return std::unexpected(*error);
  if (auto sound = check_log(**log, bench.count); !sound) {
    return std::unexpected(std::move(sound).error());
  }
  return Figures{bench.count, seconds, latencies.percentiles()};
}

}  // namespace annals::bench
