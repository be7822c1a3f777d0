#include "cli/position.hpp"

#include <utility>

#include "core/cursor.hpp"

namespace annals::cli {
namespace {

/// The largest number so that everything up to it was recorded before `time`.
Outcome<std::uint64_t> last_before(const EventLog& log, const LogState& state, Timestamp time) {
  std::uint64_t low = state.oldest - 1;  // all up to here: recorded before, or gone
  std::uint64_t high = state.event_seq;  // the answer is not above
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    auto page = log.read({.after = middle, .limit = 1});
    if (!page) return failed(std::move(page.error()));
    // A recorded gap may lie after `middle`: the event found says where the search goes on.
    if (page->records.empty() || page->records.front().header.recorded_at >= time) {
      high = middle;
    } else {
      low = page->records.front().header.seq;
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

Outcome<std::uint64_t> resolve_from(const EventLog& log, const std::string& from) {
  auto state = log.state();
  if (!state) return failed(std::move(state.error()));
  if (from == "oldest") return state->oldest - 1;
  if (from == "latest") return state->event_seq;
  const auto time = parse_timestamp(from);
  if (!time) {
    return wrong_usage(
        "--from needs oldest, latest or an RFC 3339 time such as 2026-01-31T12:00:00Z");
  }
  return last_before(log, *state, *time);
}

Outcome<void> check_after(const EventLog& log, std::uint64_t after) {
  auto state = log.state();
  if (!state) return failed(std::move(state.error()));
  auto valid = core::check_cursor(after, state->oldest, state->event_seq);
  if (!valid) return failed(std::move(valid.error()));
  return {};
}

}  // namespace annals::cli
