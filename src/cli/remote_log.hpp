#pragma once

#include <memory>

#include "annals/client.hpp"
#include "cli/log_access.hpp"
#include "cli/streams.hpp"

namespace annals::cli {

/// A log behind a server. What a person at a terminal should know of the connection goes to the
/// error stream of `streams`, which outlives it.
[[nodiscard]] std::unique_ptr<LogAccess> remote_access(Client client, Streams& streams);

}  // namespace annals::cli
