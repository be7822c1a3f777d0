#pragma once

#include <cstddef>
#include <string_view>

#include "annals/result.hpp"
#include "core/validate.hpp"
#include "wire/event_reader.hpp"

namespace annals::wire {

/// Reads a body of one event or an array. Beside the errors of `read_request`, all that is wrong
/// with its text and by the event rules is one `invalid_event`, in order, so that a producer
/// corrects a request once. Rules are not applied to a member whose text is wrong already, nor to
/// events that broke off; a request whose text is right is not checked here. Pure.
[[nodiscard]] Result<IncomingRequest> read_checked_request(std::string_view body,
                                                           std::size_t max_events,
                                                           const core::EventRules& rules);

/// The same for a line of NDJSON, which holds one event: `invalid_request` for an array. Pure.
[[nodiscard]] Result<IncomingRequest> read_checked_line(std::string_view line,
                                                        const core::EventRules& rules);

}  // namespace annals::wire
