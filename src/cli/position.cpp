#include "cli/position.hpp"

#include <utility>

#include "core/cursor.hpp"
#include "wire/envelope_reader.hpp"

namespace annals::cli {
namespace {

/// The largest number so that everything up to it was recorded before `time`.
Outcome<std::uint64_t> last_before(EventReader& events, const Counters& counters, Timestamp time) {
  std::uint64_t low = counters.oldest - 1;  // all up to here: recorded before, or gone
  std::uint64_t high = counters.head;       // the answer is not above
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    auto page = events.page({.after = middle, .limit = 1});
    if (!page) return failed(std::move(page.error()));
    // A recorded gap may lie after `middle`: the event found says where the search goes on.
    const auto found =
        page->events.empty() ? std::nullopt : wire::read_envelope(page->events.front().json);
    if (!found || found->recorded_at >= time) {
      high = middle;
    } else {
      low = found->seq;
    }
  }
  return low;
}

}  // namespace

Outcome<std::uint64_t> parse_after(const std::string& text) {
  const auto after = core::parse_cursor(text);
  if (!after) return wrong_usage("--after needs the number of an event, such as 0 or 42");
  return *after;
}

Outcome<std::uint64_t> resolve_from(EventReader& events, const std::string& from) {
  auto counters = events.counters();
  if (!counters) return failed(std::move(counters.error()));
  if (from == "oldest") return counters->oldest - 1;
  if (from == "latest") return counters->head;
  const auto time = parse_timestamp(from);
  if (!time) {
    return wrong_usage(
        "--from needs oldest, latest or an RFC 3339 time such as 2026-01-31T12:00:00Z");
  }
  return last_before(events, *counters, *time);
}

Outcome<void> check_after(EventReader& events, std::uint64_t after) {
  auto counters = events.counters();
  if (!counters) return failed(std::move(counters.error()));
  auto valid = core::check_cursor(after, counters->oldest, counters->head);
  if (!valid) return failed(std::move(valid.error()));
  return {};
}

}  // namespace annals::cli
