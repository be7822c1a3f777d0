#pragma once

#include <cstdint>
#include <filesystem>

#include "annals/result.hpp"

namespace annals::store::sqlite {

/// `store_full` when the volume of the file at `path` has less than `reserve` bytes left for this
/// process. A volume that does not tell is taken to have room: writing to it says more.
/// Thread-safe.
Result<void> check_reserve(const std::filesystem::path& path, std::uint64_t reserve);

}  // namespace annals::store::sqlite
