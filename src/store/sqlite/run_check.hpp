#pragma once

#include "annals/log_state.hpp"
#include "store/index/run.hpp"
#include "store/sqlite/handle.hpp"

namespace annals::store::sqlite {

/// True when a run of the index is about the log that the transaction sees: its last event is the
/// one that stands there, or retention has gone past it. A log that was put back to an earlier
/// state by hand does not fit the runs of what came after.
bool fits(Statements& statements, const LogState& state, const index::RunInfo& info);

}  // namespace annals::store::sqlite
