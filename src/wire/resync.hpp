#pragma once

#include <string>

#include "annals/error.hpp"

namespace annals::wire {

/// Appends the members that say what a resync loses: `reason`, `oldest`, `head`, and `lost_from`
/// with `lost_to` when the lost numbers can be named. The same on every transport.
void append_resync_members(std::string& out, const Resync& resync);

}  // namespace annals::wire
