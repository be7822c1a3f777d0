#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "annals/follow.hpp"
#include "client/backoff.hpp"
#include "client/connection.hpp"
#include "client/endpoint.hpp"
#include "client/event_stream.hpp"
#include "client/response_reader.hpp"
#include "client/stream_order.hpp"

namespace annals {

/// Connects, reads frames, and connects again. See `Follower`.
class Follower::Impl {
 public:
  Impl(std::shared_ptr<const client::Endpoint> endpoint, FollowOptions options);

  Result<std::optional<FollowMessage>> next(std::chrono::milliseconds wait);

  [[nodiscard]] std::optional<std::uint64_t> position() const noexcept { return delivered_; }

 private:
  using Clock = std::chrono::steady_clock;

  FollowMessage deliver();
  void connect();
  Result<void> find_start();
  Result<void> open_stream();
  void read(Clock::time_point deadline);
  void take(std::string_view body);
  void lose(Error why);
  void fail_with(Error error);

  const std::shared_ptr<const client::Endpoint> endpoint_;
  const FollowOptions options_;
  client::Backoff backoff_;

  std::optional<Uuid> log_id_;
  std::optional<std::uint64_t> incarnation_;
  std::optional<client::StreamOrder> order_;  ///< Set once the start is known.
  std::optional<std::uint64_t> delivered_;

  std::unique_ptr<client::Connection> connection_;  ///< Null while there is none.
  client::ResponseReader response_;
  client::EventStreamParser parser_;
  Clock::time_point silent_at_;  ///< When the connection counts as dead.
  Clock::time_point retry_at_;   ///< When the next one is made.
  std::chrono::milliseconds server_retry_{0};

  std::deque<FollowMessage> messages_;  ///< Read and not asked for yet.
  std::optional<Error> failed_;         ///< Told when there are no messages left.
};

}  // namespace annals
