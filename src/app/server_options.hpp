#pragma once

#include <string>

#include "config/settings.hpp"
#include "server/options.hpp"

namespace annals::app {

/// The server's options from the configuration. Pure.
[[nodiscard]] server::ServerOptions server_options(const config::ServerSettings& settings,
                                                   std::string version);

}  // namespace annals::app
