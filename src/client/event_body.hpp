#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "annals/append.hpp"
#include "annals/event.hpp"
#include "annals/result.hpp"

namespace annals::client {

/// An event as one line of JSON. An event without an id gets one. Errors: `invalid_event` when the
/// payload is no JSON object, at `index`.
[[nodiscard]] Result<std::string> event_line(NewEvent& event, std::size_t index,
                                             const std::optional<ExpectedVersion>& expected);

/// Whether events without an id get one.
enum class Ids : std::uint8_t { make, keep };

/// Events as the body of a request, an array, with each expectation beside the first event of its
/// stream. Errors: `invalid_event`; `invalid_request` for no event, or an expectation about a
/// stream that no event belongs to.
[[nodiscard]] Result<std::string> events_body(
    std::vector<NewEvent>& events,
    const std::map<std::string, ExpectedVersion, std::less<>>& expected_versions,
    Ids ids = Ids::make);

}  // namespace annals::client
