#pragma once

#include <cstddef>

#include "annals/result.hpp"
#include "annals/verify.hpp"
#include "log/ports/store.hpp"

namespace annals::log {

/// Proves the log behind `reader` up to the head at the start, in one forward pass, or several when
/// its streams do not fit in `memory_bytes` (an aim: half for streams, half for pages). Works
/// beside appends. What is wrong, and what could not be read, is in the report; whatever can be
/// verified beside it is.
///
/// - every event: header bytes rendered again and hashed with the previous hash, parts against
/// their
///   digests, link to the event before it, number
/// - erased parts: a verified record in the log names them
/// - the whole log: no number missing, count, running hash against marks, state and
///   `options.expect`, ends of the streams against their heads
///
/// With `options.stream` only that chain is verified, up to its head at the start. With a range
/// only its events are; the hashes before it are taken as given, and heads, counts and state are
/// compared as far as the range reaches them. A receipt outside of what is verified is
/// `could_not_verify`.
///
/// `progress` is called on this thread. `threads` read and hash (0: one for each core; 1:
/// everything on this thread).
///
/// Errors: `invalid_request` for a range that ends before it begins, `not_found` for an unknown
/// stream, the reader's when it cannot even say its state.
[[nodiscard]] Result<VerifyReport> verify(EventReader& reader, const VerifyOptions& options,
                                          std::size_t memory_bytes, const VerifyProgress& progress,
                                          unsigned threads = 0);

}  // namespace annals::log
