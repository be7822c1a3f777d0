#include "cli/scan.hpp"

#include <algorithm>
#include <utility>

namespace annals::cli {
namespace {

constexpr std::size_t page_size = 1000;

}  // namespace

Outcome<std::uint64_t> scan_forward(const EventLog& log, Span span, const Filter& filter,
                                    const Visit& visit) {
  std::uint64_t after = span.after;
  while (after < span.to) {
    auto page = log.read({.after = after, .limit = page_size, .filter = filter});
    if (!page) return failed(std::move(page.error()));
    for (const auto& record : page->records) {
      if (record.header.seq > span.to) return span.to;
      auto more = visit(record);
      if (!more) return std::unexpected(std::move(more.error()));
      if (!*more) return record.header.seq;
    }
    // At the end of a damaged log nothing follows, and yet it is not the head.
    const bool ended = page->caught_up || page->scanned == after;
    after = page->scanned;
    if (ended) break;
  }
  return std::min(after, span.to);
}

Outcome<void> scan_backward(const EventLog& log, const Filter& filter, const Visit& visit) {
  std::uint64_t before = max_seq + 1;
  for (;;) {
    auto page = log.read(
        {.before = before, .limit = page_size, .order = Order::backward, .filter = filter});
    if (!page) return failed(std::move(page.error()));
    for (const auto& record : page->records) {
      auto more = visit(record);
      if (!more) return std::unexpected(std::move(more.error()));
      if (!*more) return {};
    }
    before = page->scanned;
    if (before <= page->oldest) return {};
  }
}

Outcome<std::uint64_t> before_last(const EventLog& log, const Filter& filter, std::uint64_t count) {
  auto state = log.state();
  if (!state) return failed(std::move(state.error()));
  std::uint64_t after = state->event_seq;
  if (count == 0) return after;
  auto scanned = scan_backward(log, filter, [&](const Record& record) -> Outcome<bool> {
    after = record.header.seq - 1;
    return --count > 0;
  });
  if (!scanned) return std::unexpected(std::move(scanned.error()));
  return after;
}

}  // namespace annals::cli
