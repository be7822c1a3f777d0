#pragma once

#include <optional>
#include <string>

#include "annals/event.hpp"
#include "annals/time.hpp"
#include "annals/uuid.hpp"

namespace annals {

/// What a reader wants to see. Members are combined with AND; an empty filter matches everything. A
/// member that an event does not have, or that was erased, never matches. Plain value.
struct Filter {
  std::optional<std::string> type;           ///< Exact, or a prefix ending in `.*`.
  std::optional<std::string> source;         ///< Exact, as are all below unless said.
  std::optional<std::string> stream;         ///< Name of the stream.
  std::optional<std::string> space;          ///< `scope.space_id`.
  std::optional<std::string> channel;        ///< `scope.channel_id`.
  std::optional<std::string> thread;         ///< `scope.thread_id`.
  std::optional<std::string> actor;          ///< `kind/id`, or `system`.
  std::optional<std::string> resource_kind;  ///< `resource.kind`.
  std::optional<std::string> resource_id;    ///< `resource.id`.
  std::optional<Uuid> correlation_id;        ///< As appended, or the trace's id.
  std::optional<Timestamp> since;            ///< `recorded_at` >= since.
  std::optional<Timestamp> until;            ///< `recorded_at` < until.
  Labels labels;                             ///< Exact values, all of them.

  /// True when everything matches.
  [[nodiscard]] bool empty() const noexcept { return *this == Filter{}; }

  friend bool operator==(const Filter&, const Filter&) = default;
};

}  // namespace annals
