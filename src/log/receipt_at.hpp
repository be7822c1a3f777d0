#pragma once

#include <cstdint>

#include "annals/record.hpp"
#include "annals/result.hpp"
#include "log/ports/store.hpp"

namespace annals::log {

/// The receipt of an event: its seq and the running hash after it, folded from the nearest stored
/// mark over the stored row hashes (at most `core::hash_mark_interval` rows). It states what the
/// store says now; `verify` proves it. `oldest - 1` gives the base of the retained log, 0 in a log
/// that kept everything.
///
/// Errors: `not_found` when no event with this seq is retained; the reader's. Thread-safe.
[[nodiscard]] Result<Receipt> receipt_at(EventReader& reader, std::uint64_t seq);

/// The receipt of the last event below `seq`, which must be above `oldest` and at most one above
/// the head. Errors: the reader's. Thread-safe.
[[nodiscard]] Result<Receipt> receipt_before(EventReader& reader, std::uint64_t seq);

}  // namespace annals::log
