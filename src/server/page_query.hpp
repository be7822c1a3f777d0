#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "annals/read.hpp"
#include "annals/result.hpp"
#include "wire/cursor_query.hpp"
#include "wire/query.hpp"

namespace annals::server {

/// Which part of a sequence a page shows, in the numbers of the sequence. Plain value.
struct PageRange {
  Order order = Order::forward;
  std::uint64_t before = max_seq + 1;  ///< Exclusive upper bound; backward only.
  std::size_t limit = 0;               ///< Most events.

  friend bool operator==(const PageRange&, const PageRange&) = default;
};

/// What a request for a page of the log asks for, but for its filter. Plain value.
struct PageQuery {
  wire::CursorQuery cursor;  ///< Exclusive lower bound, whatever the order.
  PageRange range;
  bool newest = false;                ///< `last=N`: the newest `range.limit`, oldest first.
  std::uint64_t min_seq = 0;          ///< Answer when the log has got that far.
  std::chrono::milliseconds wait{0};  ///< How long an empty page may be held back.

  friend bool operator==(const PageQuery&, const PageQuery&) = default;
};

/// The bounds of what a page may ask for.
struct PageBounds {
  std::size_t default_events = 100;
  std::size_t max_events = 1000;
  std::chrono::milliseconds max_wait{60'000};
};

/// Reads a duration of a query: a whole number with `ms`, `s` or `m`. `nullopt` for anything else.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_wait(std::string_view text);

/// Reads a number from 1 to `max`, `otherwise` when it is absent; `invalid_request` for anything
/// else.
[[nodiscard]] Result<std::size_t> read_count(const wire::Query& query, std::string_view name,
                                             std::size_t otherwise, std::size_t max);

/// Reads `order`, `before` and `limit`. Empty values count as absent. Errors: `invalid_cursor` for
/// a malformed `before`, `invalid_request` for anything else.
[[nodiscard]] Result<PageRange> read_page_range(const wire::Query& query, const PageBounds& bounds);

/// Reads the cursor, the range, `last`, `min_seq` and `wait`. Errors: those of `read_page_cursor`
/// and `read_page_range`, `invalid_request` for what is malformed or excludes each other.
[[nodiscard]] Result<PageQuery> read_page_query(const wire::Query& query, const PageBounds& bounds);

}  // namespace annals::server
