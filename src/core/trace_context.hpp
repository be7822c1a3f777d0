#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "annals/uuid.hpp"

namespace annals::core {

/// A parsed W3C `traceparent` header.
struct TraceParent {
  Uuid trace_id;  ///< The 16-byte trace id written as a UUID: the correlation id.
  bool sampled = false;
  std::string text;  ///< As received.

  friend bool operator==(const TraceParent&, const TraceParent&) = default;
};

/// Reads version 00 (and, by the standard's rule, later versions by their first four fields).
/// Malformed or all-zero ids give `nullopt`: a bad trace header never fails a request.
[[nodiscard]] std::optional<TraceParent> parse_traceparent(std::string_view text);

}  // namespace annals::core
