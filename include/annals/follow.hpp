#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "annals/envelope.hpp"
#include "annals/error.hpp"
#include "annals/result.hpp"
#include "annals/uuid.hpp"

namespace annals {

/// Parameters of the API that narrow what is read, such as `{"type", "order.*"}`, one value each.
using Filters = std::vector<std::pair<std::string, std::string>>;

/// Where a reader starts, and how patient it is. Plain value.
struct FollowOptions {
  std::optional<std::uint64_t> after;  ///< Strictly after this number; else `from` says where.
  std::string from = "latest";         ///< `oldest`, `latest` or an RFC 3339 time of recording.
  Filters filters;                     ///< What to leave out.

  /// The log, and its incarnation, that `after` was learnt from: in another one the position is not
  /// continued. Asked of the server when absent.
  std::optional<Uuid> log_id;
  std::optional<std::uint64_t> incarnation;  ///< See `log_id`.

  /// A connection that says nothing for so long is given up; a server sends something every 15 s.
  std::chrono::milliseconds silence{45'000};
  /// Longest wait between two attempts, unless the server asks for a longer one.
  std::chrono::milliseconds retry_max{30'000};
};

/// A connection stands.
struct Connected {
  bool complete = false;  ///< It shows every event of the log: a missing number is an error.
};

/// The connection was lost, or could not be made; the follower tries again by itself.
struct Disconnected {
  Error why;                             ///< What happened.
  std::chrono::milliseconds retry_in{};  ///< When the next attempt is made.
};

/// Everything up to the head has been delivered; once per connection.
struct CaughtUp {
  std::uint64_t head = 0;  ///< The head at that moment.
};

/// Nothing of interest up to here: the position moves without an event.
struct Checkpoint {
  std::uint64_t scanned = 0;  ///< The last number looked at.
};

/// The position could not be continued: what the events built up has to be read anew. The follower
/// goes on after `after`.
struct Resynced {
  Resync resync;            ///< Why, and what is lost.
  std::uint64_t after = 0;  ///< The new position.
};

/// The key no longer holds. The next call fails with `not_authenticated`.
struct Revoked {};

/// What a follower tells.
using FollowMessage =
    std::variant<Envelope, CaughtUp, Checkpoint, Resynced, Revoked, Connected, Disconnected>;

/// One reader of a log through a server: every event it may see, once, in order, over as many
/// connections as it takes. Made by `Client::follow`; it has its own connection and outlives the
/// client. Backpressure is that of `next`: what is not asked for is not read. Used on one thread.
class Follower {
 public:
  Follower(const Follower&) = delete;
  Follower(Follower&&) noexcept;
  Follower& operator=(const Follower&) = delete;
  Follower& operator=(Follower&&) noexcept;
  ~Follower();

  /// The next message; `nullopt` when `wait` passes first (an attempt to connect may take longer,
  /// see `ClientOptions`). Errors end the follower and stay: a refusal that will not pass (a bad
  /// filter, a key that does not hold, a certificate not trusted), or `store_corrupt` when the
  /// stream repeats, reorders or leaves out events. Lost connections are no errors.
  Result<std::optional<FollowMessage>> next(std::chrono::milliseconds wait);

  /// The last number delivered or passed over; `nullopt` while the start is not known.
  [[nodiscard]] std::optional<std::uint64_t> position() const noexcept;

 private:
  friend class Client;
  class Impl;
  explicit Follower(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace annals
