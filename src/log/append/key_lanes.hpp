#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "annals/uuid.hpp"
#include "log/append/pending_append.hpp"

namespace annals::log {

/// Requests in a queue, those of each key in their order of arrival. Which comes next depends on
/// how many there are: in the order of arrival when all fit, else one of each key in turn, so that
/// a key with a flood does not make the others wait. Used under a lock.
class KeyLanes {
 public:
  [[nodiscard]] bool empty() const noexcept { return lanes_.empty(); }

  /// Events of all requests together.
  [[nodiscard]] std::size_t events() const noexcept { return events_; }

  /// The ticket of the request that arrived first; not empty.
  [[nodiscard]] std::uint64_t lowest_ticket() const;

  void push(PendingAppend pending);

  /// Puts a request back to where it was taken from.
  void push_front(PendingAppend pending);

  /// The request that arrived first; not empty.
  [[nodiscard]] PendingAppend& first();

  /// The request whose key is next in turn; not empty. One with a critical event does not overtake
  /// requests that are answered already: an earlier event of its stream may be among them.
  [[nodiscard]] PendingAppend& next_in_turn();

  /// Takes the request that `first` or `next_in_turn` gave last.
  PendingAppend take();

  /// Takes a request that is the first of its key and whose deadline has passed.
  std::optional<PendingAppend> take_expired(std::chrono::steady_clock::time_point now);

 private:
  using Lanes = std::map<Uuid, std::deque<PendingAppend>>;

  Lanes::iterator lane_of_lowest();
  [[nodiscard]] Lanes::iterator after(Lanes::iterator lane);

  Lanes lanes_;  ///< None is empty.
  std::size_t events_ = 0;
  std::size_t answered_ = 0;  ///< Requests that were answered when they were queued.
  Uuid turn_;                 ///< The key that was last in turn.
  Uuid chosen_;               ///< The key whose request is taken next.
};

}  // namespace annals::log
