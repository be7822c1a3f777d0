#pragma once

#include <vector>

#include "annals/append.hpp"
#include "annals/event.hpp"

namespace annals::log {

/// BLAKE3 over everything a producer sent in a request, in a form without ambiguity, so that a
/// repeat under an Idempotency-Key can be told from another request. Trace headers are left out: a
/// retry has its own.
[[nodiscard]] Digest request_hash(const std::vector<NewEvent>& events,
                                  const AppendOptions& options);

/// Bytes of all members of an event as handed in, what `append.request_max_bytes` counts.
[[nodiscard]] std::size_t request_bytes(const NewEvent& event);

}  // namespace annals::log
