#include "server/page_query.hpp"

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "core/cursor.hpp"

namespace annals::server {

namespace {

std::unexpected<Error> invalid(std::string detail) {
  return fail(ErrorCode::invalid_request, std::move(detail));
}

Result<Order> read_order(const wire::Query& query) {
  const auto text = query.value("order");
  if (!text || *text == "asc") return Order::forward;
  if (*text == "desc") return Order::backward;
  return invalid("order must be asc or desc");
}

/// Refuses parameters beside one that leaves no room for them.
Result<void> refuse_beside(const wire::Query& query, std::string_view name,
                           std::initializer_list<std::string_view> others) {
  if (!query.value(name)) return {};
  for (const std::string_view other : others) {
    if (query.value(other)) {
      return invalid(std::string{name} + " and " + std::string{other} + " exclude each other");
    }
  }
  return {};
}

Result<void> read_waits(const wire::Query& query, const PageBounds& bounds, PageQuery& page) {
  if (const auto text = query.value("min_seq")) {
    const auto seq = core::parse_cursor(*text);
    if (!seq) return invalid("min_seq must be a number");
    page.min_seq = *seq;
  }
  if (const auto text = query.value("wait")) {
    const auto wait = parse_wait(*text);
    if (!wait || *wait > bounds.max_wait) {
      return invalid("wait must be a time such as 500ms or 30s, at most " +
                     std::to_string(bounds.max_wait.count()) + "ms");
    }
    page.wait = *wait;
  }
  return {};
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_wait(std::string_view text) {
  constexpr auto units = std::to_array<std::pair<std::string_view, std::int64_t>>(
      {{"ms", 1}, {"s", 1000}, {"m", 60'000}});
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0 || digits > 9) return std::nullopt;  // npos, too: a number without its unit
  const auto number = core::parse_cursor(text.substr(0, digits));
  if (!number) return std::nullopt;
  for (const auto& [unit, factor] : units) {
    if (text.substr(digits) == unit) {
      return std::chrono::milliseconds{static_cast<std::int64_t>(*number) * factor};
    }
  }
  return std::nullopt;
}

Result<std::size_t> read_count(const wire::Query& query, std::string_view name,
                               std::size_t otherwise, std::size_t max) {
  const auto text = query.value(name);
  if (!text) return otherwise;
  const auto count = core::parse_cursor(*text);
  if (!count || *count == 0 || *count > max) {
    return invalid(std::string{name} + " must be a number from 1 to " + std::to_string(max));
  }
  return static_cast<std::size_t>(*count);
}

Result<PageRange> read_page_range(const wire::Query& query, const PageBounds& bounds) {
  PageRange range;
  const auto order = read_order(query);
  if (!order) return std::unexpected(order.error());
  range.order = *order;
  if (const auto text = query.value("before")) {
    if (range.order == Order::forward) return invalid("before needs order=desc");
    const auto before = core::parse_cursor(*text);
    if (!before) {
      return fail(ErrorCode::invalid_cursor, "before is no number of the cursor's form");
    }
    range.before = *before;
  }
  const auto limit = read_count(query, "limit", bounds.default_events, bounds.max_events);
  if (!limit) return std::unexpected(limit.error());
  range.limit = *limit;
  return range;
}

Result<PageQuery> read_page_query(const wire::Query& query, const PageBounds& bounds) {
  PageQuery page;
  const auto cursor = wire::read_page_cursor(query);
  if (!cursor) return std::unexpected(cursor.error());
  page.cursor = *cursor;
  if (auto alone =
          refuse_beside(query, "last", {"after", "from", "order", "before", "limit", "wait"});
      !alone) {
    return std::unexpected(alone.error());
  }
  const auto range = read_page_range(query, bounds);
  if (!range) return std::unexpected(range.error());
  page.range = *range;
  if (auto waits = read_waits(query, bounds, page); !waits) return std::unexpected(waits.error());
  if (page.wait.count() != 0 && page.range.order == Order::backward) {
    return invalid("wait and order=desc exclude each other");
  }
  if (query.value("last")) {
    const auto last = read_count(query, "last", 0, bounds.max_events);
    if (!last) return std::unexpected(last.error());
    page.newest = true;
    page.range.order = Order::backward;
    page.range.limit = *last;
  }
  return page;
}

}  // namespace annals::server
