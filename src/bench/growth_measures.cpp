#include <chrono>

#include "bench/runs.hpp"
#include "bench/sample_events.hpp"
#include "bench/window.hpp"

namespace annals::bench {

using std::chrono::steady_clock;

namespace {

/// What is measured: the last so many events.
constexpr std::uint64_t measured = 100'000;
constexpr std::size_t batch = 1000;
constexpr std::size_t in_flight = 256;

}  // namespace

/// The log grows in batches until `count - measured` events, which is not measured.
Result<Figures> append_to_a_large_log(const Bench& bench) {
  auto log = bench.open();
  if (!log) return std::unexpected(std::move(log).error());
  std::uint64_t number = 0;
  {
    Window batches(4);
    for (; number + measured < bench.count; number += batch)
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
  const auto time = steady_clock::now() - begun;
  if (auto sound = check_log(**log, number); !sound) {
    return std::unexpected(std::move(sound).error());
  }
  return Figures{appended, std::chrono::duration<double>(time).count(), *latency};
}

}  // namespace annals::bench
