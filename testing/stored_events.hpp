#pragma once

#include <cstdint>

#include "annals/event_log.hpp"
#include "annals/result.hpp"
#include "testing/log_comparison.hpp"

namespace annals::test {

/// Adds every event of `log` after `comparison.head()` to the comparison. The token is the event's
/// `source` when that is a UUID, else its id. Errors are the log's.
[[nodiscard]] Result<void> add_stored(const EventLog& log, LogComparison& comparison);

}  // namespace annals::test
