#include "cli/scan.hpp"

#include <algorithm>
#include <utility>

namespace annals::cli {
namespace {

/// Most events of a page.
constexpr std::uint64_t max_page = 1000;

std::size_t page_for(std::uint64_t wanted) {
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(wanted, 1, max_page));
}

}  // namespace

Outcome<std::uint64_t> scan_forward(EventReader& events, Span span, std::uint64_t wanted,
                                    const Visit& visit) {
  std::uint64_t after = span.after;
  while (after < span.to) {
    auto page = events.page({.after = after, .limit = page_for(wanted)});
    if (!page) return failed(std::move(page.error()));
    for (const auto& event : page->events) {
      if (event.seq > span.to) return span.to;
      auto more = visit(event);
      if (!more) return std::unexpected(std::move(more.error()));
      if (!*more) return event.seq;
    }
    // At the end of a damaged log nothing follows, and yet it is not the head.
    const bool ended = page->caught_up || page->scanned == after;
    after = page->scanned;
    if (ended) break;
  }
  return std::min(after, span.to);
}

Outcome<void> scan_backward(EventReader& events, std::uint64_t wanted, const Visit& visit) {
  std::uint64_t before = max_seq + 1;
  for (;;) {
    auto page =
        events.page({.before = before, .limit = page_for(wanted), .order = Order::backward});
    if (!page) return failed(std::move(page.error()));
    for (const auto& event : page->events) {
      auto more = visit(event);
      if (!more) return std::unexpected(std::move(more.error()));
      if (!*more) return {};
    }
    before = page->scanned;
    if (before <= page->oldest) return {};
  }
}

Outcome<std::uint64_t> before_last(EventReader& events, std::uint64_t count) {
  auto counters = events.counters();
  if (!counters) return failed(std::move(counters.error()));
  std::uint64_t after = counters->head;
  if (count == 0) return after;
  auto scanned = scan_backward(events, count, [&](const LoggedEvent& event) -> Outcome<bool> {
    after = event.seq - 1;
    return --count > 0;
  });
  if (!scanned) return std::unexpected(std::move(scanned.error()));
  return after;
}

}  // namespace annals::cli
