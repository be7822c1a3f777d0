#pragma once

#include <chrono>

#include "annals/capability.hpp"
#include "annals/result.hpp"
#include "log/ports/store.hpp"

namespace annals::log {

/// See `EventLog::freeze`. Waits up to `timeout` for the write lock, so that what was begun before
/// is committed.
Result<bool> set_frozen(Store& store, std::chrono::milliseconds timeout, const WriteCapability& by,
                        bool frozen);

}  // namespace annals::log
