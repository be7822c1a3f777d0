#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

#include "annals/event_log.hpp"
#include "annals/options.hpp"
#include "annals/result.hpp"

namespace annals {

/// How a store is opened.
struct OpenOptions {
  LogOptions log;      ///< What the log is told.
  bool create = true;  ///< Make a new log when there is none; else `not_found`.
  std::chrono::milliseconds sqlite_busy_timeout{5000};           ///< `sqlite.busy_timeout`.
  std::uint64_t sqlite_disk_reserve = std::uint64_t{64} << 20U;  ///< `sqlite.disk_reserve`, bytes.
};

/// Opens the log behind `url`: `sqlite:<path>` or `memory:` (lives as long as the object; for
/// tests). Errors: `invalid_request` for an unknown URL, `not_found`, `store_unavailable`,
/// `store_corrupt` when the file is not a store or newer than this program.
[[nodiscard]] Result<std::unique_ptr<EventLog>> open(std::string_view url,
                                                     OpenOptions options = {});

}  // namespace annals
