#pragma once

#include <memory>

#include "annals/event_log.hpp"
#include "cli/log_access.hpp"

namespace annals::cli {

/// A log in a store that this process has open.
[[nodiscard]] std::unique_ptr<LogAccess> local_access(std::unique_ptr<EventLog> log);

}  // namespace annals::cli
