#pragma once

#include <span>

#include "annals/append.hpp"
#include "annals/result.hpp"
#include "log/ports/store.hpp"

namespace annals::log {

/// Looks after `commit_unknown` for one of the ids of the transaction that placed `events`. Success
/// when it is there. Else `commit_unknown` stays the answer: a store that says it does not know
/// cannot tell either whether the events come back when it recovers.
Result<void> find_outcome(EventReader& reader, std::span<const AppendedEvent> events);

}  // namespace annals::log
