#pragma once

#include "annals/uuid.hpp"

namespace annals::client {

/// A new UUIDv7 of the time now, from the system's random generator. Safe from any thread.
[[nodiscard]] Uuid new_event_id();

}  // namespace annals::client
