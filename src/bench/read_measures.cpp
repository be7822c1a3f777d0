#include <chrono>
#include <string>

#include "bench/runs.hpp"

namespace annals::bench {

using std::chrono::steady_clock;

namespace {

std::unexpected<Error> unexpected_page() {
  return fail(ErrorCode::store_corrupt, "a page does not hold the events it should");
}

}  // namespace

Result<Figures> read_forward(const Bench& bench) {
  auto log = bench.open();
  if (!log) return std::unexpected(std::move(log).error());
  std::uint64_t last = 0;
  const auto begun = steady_clock::now();
  for (bool caught_up = false; !caught_up;) {
    const auto page = (*log)->read({.after = last, .limit = 1000});
    if (!page) return std::unexpected(page.error());
    for (const Record& record : page->records) {
      if (record.header.seq != ++last) return unexpected_page();
    }
    caught_up = page->caught_up;
  }
  return Figures{last, seconds_since(begun), {}};
}

Result<Figures> verify_log(const Bench& bench) {
  auto log = bench.open();
  if (!log) return std::unexpected(std::move(log).error());
  const auto begun = steady_clock::now();
  const auto report = (*log)->verify({});
  if (!report) return std::unexpected(report.error());
  const double seconds = seconds_since(begun);
  if (!report->clean()) return fail(ErrorCode::store_corrupt, "verification found something");
  return Figures{report->events, seconds, {}};
}

Result<Figures> find_label(const Bench& bench) {
  auto log = bench.open();
  if (!log) return std::unexpected(std::move(log).error());
  const auto state = (*log)->state();
  if (!state) return std::unexpected(state.error());
  Latencies latencies;
  const auto begun = steady_clock::now();
  for (std::uint64_t i = 0; i < bench.count; ++i) {
    const std::string value = "k" + std::to_string(i * 7 * 48271 % 100'000);
    const auto sent = steady_clock::now();
    const auto page = (*log)->read({.limit = 100,
                                    .filter = {.labels = {{"customer", value}}},
                                    .max_scan = state->event_seq + 1});
    latencies.add(steady_clock::now() - sent);
    if (!page) return std::unexpected(page.error());
    for (const Record& record : page->records) {
      if (!record.meta || record.meta->bytes.find('"' + value + '"') == std::string::npos) {
        return unexpected_page();
      }
    }
  }
  return Figures{bench.count, seconds_since(begun), latencies.percentiles()};
}

}  // namespace annals::bench
