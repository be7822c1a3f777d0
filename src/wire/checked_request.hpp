#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "annals/result.hpp"
#include "core/validate.hpp"
#include "wire/event_reader.hpp"

namespace annals::wire {

/// The pointer of a member of an event, as the producer of a request knows it.
using NameMember = std::string (*)(std::string_view pointer);

/// Passes on what was read of a request. All that is wrong with its text and by the event rules is
/// one `invalid_event`, in order, so that a producer corrects a request once. Rules are not applied
/// to a member whose text is wrong already, nor to events that broke off; a request whose text is
/// right is not checked here. `name` is for the rules: violations of the text are named already.
/// Pure.
[[nodiscard]] Result<IncomingRequest> check_request(Result<IncomingRequest> request,
                                                    const core::EventRules& rules, NameMember name);

/// Reads a body of one event or an array. Errors: those of `read_request` and `check_request`.
/// Pure.
[[nodiscard]] Result<IncomingRequest> read_checked_request(std::string_view body,
                                                           std::size_t max_events,
                                                           const core::EventRules& rules);

/// The same for a line of NDJSON, which holds one event: `invalid_request` for an array. Pure.
[[nodiscard]] Result<IncomingRequest> read_checked_line(std::string_view line,
                                                        const core::EventRules& rules);

}  // namespace annals::wire
