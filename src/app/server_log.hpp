#pragma once

#include <spdlog/logger.h>

#include <memory>

#include "config/settings.hpp"

namespace annals::app {

/// The server's own messages on standard error: one line each, as text, or as a JSON object with
/// `time`, `level` and `message`; a message that is a JSON object itself gives its members instead
/// of `message`. Thread-safe; it may be called from any thread.
[[nodiscard]] std::shared_ptr<spdlog::logger> make_server_log(
    const config::LoggingSettings& settings);

}  // namespace annals::app
