#pragma once

#include <optional>
#include <string>

#include "annals/append.hpp"
#include "annals/event.hpp"

namespace annals::wire {

/// Appends an event as the JSON object that `read_event` reads back, on one line if its payload is.
/// What is absent or a default is left out; the payload is appended as it is, unchecked: when it is
/// no JSON object, the whole is none either. Pure.
void append_new_event(std::string& out, const NewEvent& event,
                      const std::optional<ExpectedVersion>& expected = std::nullopt);

}  // namespace annals::wire
