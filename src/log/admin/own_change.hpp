#pragma once

#include <chrono>
#include <functional>

#include "annals/append.hpp"
#include "annals/result.hpp"
#include "core/placement.hpp"
#include "log/ports/clock.hpp"
#include "log/ports/store.hpp"

namespace annals::log {

/// Whether a change raises `permission_version`: changes of access do.
enum class PermissionBump : std::uint8_t { no, yes };

/// What a change writes beside its event. Called inside the transaction, with the event's place.
using AdminChange = std::function<Result<void>(AdminWriter& admin, const AppendedEvent& event)>;

/// Makes the event of a change, after looking at what is stored. `nullopt`: nothing is to change.
using OwnEvent = std::function<Result<std::optional<core::Draft>>(AdminWriter& admin)>;

/// Appends one event of the log's own with the change it tells of, in one transaction. Returns
/// `nullopt` when there was nothing to change. Blocks up to `timeout` for the write lock.
Result<std::optional<AppendedEvent>> append_own_change(Store& store, Clock& clock,
                                                       std::chrono::milliseconds timeout,
                                                       PermissionBump bump, const OwnEvent& event,
                                                       const AdminChange& change);

}  // namespace annals::log
