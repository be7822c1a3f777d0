#pragma once

#include <cstddef>

#include "annals/result.hpp"
#include "annals/verify.hpp"
#include "log/ports/store.hpp"
#include "log/verify/facts.hpp"
#include "log/verify/range.hpp"

namespace annals::log {

/// Verifies the chain of `options.stream` within `whole`: every event, its link, erasures, and the
/// end against the stream's head when the range reaches the log's. Everything on this thread.
/// Errors: `not_found` for a stream without a head; the reader's.
[[nodiscard]] Result<VerifyReport> verify_stream(EventReader& reader, const LogFacts& facts,
                                                 SeqRange whole, const VerifyOptions& options,
                                                 std::size_t memory_bytes,
                                                 const VerifyProgress& progress);

}  // namespace annals::log
