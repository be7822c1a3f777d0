#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "annals/error.hpp"
#include "annals/log_state.hpp"
#include "annals/result.hpp"
#include "annals/time.hpp"
#include "annals/uuid.hpp"
#include "wire/query.hpp"

namespace annals::wire {

/// Where a reader asks to start. Plain value.
struct CursorQuery {
  enum class Start : std::uint8_t {
    absent,     ///< Nothing was said: the transport's default.
    after,      ///< Strictly after `after`.
    oldest,     ///< From the oldest event kept.
    latest,     ///< From now on.
    time,       ///< From the first event recorded at or after `time`.
    malformed,  ///< Streams only: something that is not a cursor.
  };
  Start start = Start::absent;
  std::uint64_t after = 0;
  Timestamp time{};
  std::optional<Uuid> log_id;                ///< The log the cursor was learnt from.
  std::optional<std::uint64_t> incarnation;  ///< And its incarnation.

  friend bool operator==(const CursorQuery&, const CursorQuery&) = default;
};

/// Reads `after`, `from`, `log_id` and `incarnation` of a page. Empty values count as absent.
/// Errors: `invalid_cursor` for a malformed `after` or `from`, `invalid_request` for both together
/// and for a malformed guard.
[[nodiscard]] Result<CursorQuery> read_page_cursor(const Query& query);

/// The same for a stream, where a cursor may also stand in the `Last-Event-ID` header, which wins
/// over the query, or in `last_event_id`. A malformed cursor is not an error but
/// `Start::malformed`: a browser cannot read the body of an error. `last_event_id` with `after` is
/// `invalid_request`.
[[nodiscard]] Result<CursorQuery> read_stream_cursor(const Query& query,
                                                     std::optional<std::string_view> last_event_id);

/// Where a reader stands in this log.
struct Position {
  std::uint64_t after = 0;
  std::optional<Resync> resync;  ///< Set when the cursor cannot be continued; `after` is re-based.

  friend bool operator==(const Position&, const Position&) = default;
};

/// Settles a cursor against the counters of the log. `otherwise` is where a reader without one
/// starts. `Start::time` has to be resolved to `Start::after` before. Pure.
[[nodiscard]] Position settle(const CursorQuery& cursor, const LogState& state,
                              std::uint64_t otherwise);

/// The error of a page whose cursor cannot be continued.
[[nodiscard]] Error resync_error(const Resync& resync);

}  // namespace annals::wire
