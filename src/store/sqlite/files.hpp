#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "annals/result.hpp"
#include "log/ports/store.hpp"

namespace annals::store::sqlite {

/// What stands at a path.
enum class Place : std::uint8_t { missing, present };

/// Looks with the eyes of the file system only, before SQLite may touch anything. `store_corrupt`
/// for what can only be the remains of a store or something else: an empty file, a write-ahead log
/// without its file, a folder. `store_unavailable` when it cannot be looked at.
Result<Place> look_at(const std::filesystem::path& path);

/// Makes a new log under another name and gives it its own when it is complete, so that a crash
/// never leaves half a log. Does nothing when another process was faster.
Result<void> make_file(const std::filesystem::path& path, const log::NewLog& new_log,
                       const std::function<void(std::string_view)>& trace);

}  // namespace annals::store::sqlite
