#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "annals/digest.hpp"
#include "annals/result.hpp"
#include "core/placement.hpp"

namespace annals::store {

/// What a placement changes about one stream. The views belong to the placement.
struct StreamChange {
  std::uint64_t before = 0;           ///< Version that the stored head must have; 0 = no head.
  std::optional<Digest> before_hash;  ///< Hash that the stored head must have; absent = no head.
  const StreamHead* after = nullptr;
};

/// Changes by stream name.
using StreamChanges = std::map<std::string_view, StreamChange>;

/// Checks a placement against itself before a store writes it: numbers follow each other up to the
/// new state, every record continues its stream, and the heads are those of the last records. Gives
/// what the stored heads must be. `internal` for a placement that contradicts itself: nothing of
/// it may be written. Pure; the result refers to `placement`.
[[nodiscard]] Result<StreamChanges> check_placement(const core::Placement& placement);

}  // namespace annals::store
