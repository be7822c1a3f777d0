#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "annals/error.hpp"
#include "annals/time.hpp"

namespace annals::wire {

/// Bytes that an event's frame has beside its envelope, at most.
inline constexpr std::size_t sse_frame_overhead = 32;

/// Appends what stands before the envelope of an event: `id:` and the beginning of the data line.
/// There is no event name, so that `onmessage` of a browser sees events.
void begin_sse_event(std::string& out, std::uint64_t seq);

/// Appends the end of an event's frame.
void end_sse_event(std::string& out);

/// Appends `retry:` (milliseconds) and a comment: the first bytes of a stream.
void append_sse_opening(std::string& out, std::uint64_t retry_ms);

/// Appends the comment that keeps an idle connection open.
void append_sse_keepalive(std::string& out);

/// Appends control frames. Their `id:` says that everything up to it was sent or declared lost.
void append_sse_checkpoint(std::string& out, std::uint64_t scanned);
void append_sse_caught_up(std::string& out, std::uint64_t head);
void append_sse_resync(std::string& out, const Resync& resync, std::uint64_t rebase);

/// Appends what a reader is told ahead: its key expires at this time. No `id:`.
void append_sse_expiring(std::string& out, Timestamp expires_at);

/// Appends the last frame of a reader whose key is no longer what it was: it was `revoked` or
/// `changed`, or has `expired`. No `id:`.
void append_sse_revoked(std::string& out, std::string_view reason);

}  // namespace annals::wire
