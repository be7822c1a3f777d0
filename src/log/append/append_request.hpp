#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "annals/append.hpp"
#include "core/placement.hpp"

namespace annals::log {

/// A request that passed every check which needs no store: capability, limits, validation. Value.
struct AppendRequest {
  Uuid key_id;
  std::vector<core::Draft> drafts;
  std::map<std::string, ExpectedVersion, std::less<>> expected_versions;
  std::optional<std::string> idempotency_key;
  Digest request_hash{};  ///< Over everything the producer sent; only with an idempotency key.
  std::size_t bytes = 0;  ///< What it occupies in the queue.
  bool critical = false;  ///< Holds an event of a critical type.
};

}  // namespace annals::log
