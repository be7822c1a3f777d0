#pragma once

#include <span>

#include "annals/append.hpp"
#include "annals/result.hpp"
#include "log/ports/store.hpp"

namespace annals::log {

/// Finds out after `commit_unknown` whether the transaction that placed `events` was committed, by
/// looking for one of their ids: success when it was, `store_unavailable` when nothing was stored,
/// `commit_unknown` when the store cannot be read either.
Result<void> find_outcome(EventReader& reader, std::span<const AppendedEvent> events);

}  // namespace annals::log
