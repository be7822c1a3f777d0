#pragma once

#include <cstdint>
#include <deque>

#include "annals/follow.hpp"
#include "annals/result.hpp"
#include "client/event_stream.hpp"

namespace annals::client {

/// Makes messages of the frames of event streams, and checks that over all connections every event
/// comes once and in order, and on a complete stream none is missing. Pure; used on one thread.
class StreamOrder {
 public:
  /// Begins after this number.
  explicit StreamOrder(std::uint64_t after) noexcept : received_(after) {}

  /// A new connection, which goes on after `received`. A complete one shows every event.
  void connected(bool complete) noexcept { complete_ = complete; }

  /// Appends the message of a frame; a frame of a name nobody knows has none. Errors:
  /// `store_corrupt` when something between the log and here lost, repeated or reordered events;
  /// `invalid_request` when the frame is not what a server sends.
  [[nodiscard]] Result<void> take(const Frame& frame, std::deque<FollowMessage>& messages);

  /// The last number that came or was passed over.
  [[nodiscard]] std::uint64_t received() const noexcept { return received_; }

 private:
  using Messages = std::deque<FollowMessage>;

  Result<void> event(const Frame& frame, Messages& messages);
  Result<void> checkpoint(const Frame& frame, Messages& messages);
  Result<void> caught_up(const Frame& frame, Messages& messages);
  Result<void> resync(const Frame& frame, Messages& messages);

  std::uint64_t received_;
  bool complete_ = false;
};

}  // namespace annals::client
