#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "annals/append.hpp"
#include "annals/event.hpp"
#include "annals/result.hpp"

namespace annals::wire {

/// Expectations per stream, as `AppendOptions` takes them.
using Expectations = std::map<std::string, ExpectedVersion, std::less<>>;

/// One event as it stands in a request: the event's own members, and what stands beside them.
struct IncomingEvent {
  NewEvent event;
  std::optional<ExpectedVersion> expected;
  std::optional<std::string> traceparent;  ///< Of CloudEvents, which bring their own.

  /// False when the text broke off: what is missing in `event` may only have been out of reach.
  bool complete = true;
};

/// A request body, read. Violations are not an error here, so that the caller can add those of the
/// event rules and report all together.
struct IncomingRequest {
  bool array = false;  ///< An array was sent: the answer is one, too.
  std::vector<NewEvent> events;
  Expectations expected_versions;
  /// Of single events, as `AppendOptions` takes them.
  std::vector<std::optional<std::string>> traceparents;
  std::vector<Violation> violations;  ///< In order of index; empty when everything was understood.
  std::vector<std::size_t> incomplete;  ///< Indices of events whose text broke off, ascending.
};

/// Reads one event from its JSON text. Members nobody knows, wrong types, malformed UUIDs and times
/// are appended to `violations` with `index`; a reported member keeps its default.
/// `expected_version` is `"any"`, `"none"`, `"exists"` or a number. The payload is passed on as it
/// was sent. Pure.
[[nodiscard]] IncomingEvent read_event(std::string_view json, std::size_t index,
                                       std::vector<Violation>& violations);

/// Reads one event of a request, as `read_event` does.
using ReadOne = IncomingEvent (*)(std::string_view json, std::size_t index,
                                  std::vector<Violation>& violations);

/// Reads a body of one event or an array of events, each by `read`. The events of an array are told
/// apart before they are read, so that a defect in one does not hide those of the others. Errors:
/// `invalid_request` for an empty body, an empty or unclosed array, something after it, and for
/// different expectations about one stream (when nothing else is wrong); `too_large` for more than
/// `max_events`. Pure.
[[nodiscard]] Result<IncomingRequest> read_request(std::string_view body, std::size_t max_events,
                                                   ReadOne read = read_event);

}  // namespace annals::wire
