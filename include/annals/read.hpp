#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "annals/filter.hpp"
#include "annals/record.hpp"

namespace annals {

/// Direction of a page.
enum class Order : std::uint8_t { forward, backward };

/// A page of the log. Forward: seq > after, ascending. Backward: seq < before, descending. It ends
/// after `limit` matches, after `max_scan` events looked at, or where the log does.
struct ReadOptions {
  std::uint64_t after = 0;             ///< Exclusive lower bound (forward).
  std::uint64_t before = max_seq + 1;  ///< Exclusive upper bound (backward).
  std::size_t limit = 100;             ///< Most records, 1 to 1000.
  Order order = Order::forward;        ///< Direction.
  Filter filter = {};                  ///< Which events to return.
  std::size_t max_scan = 100'000;      ///< Most events to look at, at least 1.
};

/// Records with the counters they were read with, all of one moment.
struct Page {
  std::vector<Record> records;  ///< Those that match, in the order asked for.
  std::uint64_t head = 0;       ///< Highest seq committed at that moment.
  std::uint64_t oldest = 1;     ///< Lowest seq retained at that moment.
  bool caught_up = false;       ///< Forward: nothing durable lies after `scanned`.

  /// How far the page looked; the next one begins there. Forward: every event up to here was looked
  /// at (at least `after`). Backward: every event down to here was (at most `before`), `oldest` or
  /// less at the end of the log.
  std::uint64_t scanned = 0;
};

/// A page of one stream by `stream_seq`.
struct StreamReadOptions {
  std::uint64_t after = 0;             ///< Exclusive lower bound of stream_seq (forward).
  std::uint64_t before = max_seq + 1;  ///< Exclusive upper bound of stream_seq (backward).
  std::size_t limit = 100;             ///< 1 to 1000.
  Order order = Order::forward;        ///< Direction.
  bool verify = false;  ///< Hash every record and its link; nothing past a break is returned.
};

/// What of a verified read is wrong, and where.
struct ChainBreak {
  std::string stream;            ///< Whose chain is broken.
  std::uint64_t stream_seq = 0;  ///< Where, by the stream's own number.
  std::uint64_t seq = 0;         ///< Where, by the log's number; 0 when the row is missing.
  std::string reason;            ///< `hash_mismatch` or `gap`.
  std::string expected;          ///< Hex of the expected hash; empty for a gap.
  std::string actual;            ///< Hex of the hash found.
};

/// Records of one stream. With `verify`, `records` end before the break, if there is one.
struct StreamPage {
  std::vector<Record> records;     ///< In the order asked for.
  std::uint64_t version = 0;       ///< How many events the stream has had.
  std::vector<ChainBreak> breaks;  ///< At most one.
};

/// A run of numbers that no event has, recorded by restore or import. Both ends included.
struct Gap {
  std::uint64_t from = 0;        ///< First number of the run.
  std::uint64_t to = 0;          ///< Last number of the run.
  std::uint64_t record_seq = 0;  ///< The log's own record that explains it.

  friend bool operator==(const Gap&, const Gap&) = default;
};

}  // namespace annals
