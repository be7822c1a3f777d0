#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "server/clock.hpp"

namespace annals::server {

/// A rate for each of many parties. Everybody has a bucket that fills steadily and keeps what comes
/// in during `burst`. From one that is not empty anything may be taken, more than it holds as well:
/// then it has to fill again first, so that the mean is kept whatever the sizes are. Of those in
/// use longest ago, buckets are forgotten beyond `max_parties`. Thread-safe.
template <typename Party, typename Hash = std::hash<Party>>
class TokenBuckets {
 public:
  using Wait = std::chrono::nanoseconds;

  /// `per_second` 0: no limit, nothing is kept.
  TokenBuckets(std::uint64_t per_second, std::chrono::milliseconds burst, std::size_t max_parties)
      : per_second_(per_second),
        burst_(burst),
        max_parties_(max_parties) {}

  /// Takes `amount`, or nothing and says how long until that is possible.
  [[nodiscard]] std::optional<Wait> take(const Party& party, std::uint64_t amount, Deadline now) {
    if (per_second_ == 0) return std::nullopt;
    const std::lock_guard lock{mutex_};
    Deadline& full_at = bucket(party, now);
    if (const Wait wait = wait_of(full_at, now); wait.count() > 0) return wait;
    full_at = std::max(full_at, now) + time_of(amount);
    return std::nullopt;
  }

  /// How long until something can be taken; zero: now.
  [[nodiscard]] Wait wait(const Party& party, Deadline now) const {
    if (per_second_ == 0) return {};
    const std::lock_guard lock{mutex_};
    const auto found = buckets_.find(party);
    return found == buckets_.end() ? Wait{} : wait_of(found->second->full_at, now);
  }

  /// Buckets kept now.
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock{mutex_};
    return buckets_.size();
  }

 private:
  struct Bucket {
    Party party;
    Deadline full_at;  ///< When it will be full, if nothing is taken until then.
  };
  using Buckets = std::list<Bucket>;

  /// Longer than anybody waits, and far from the end of the clock.
  static constexpr std::chrono::hours longest{24};

  [[nodiscard]] Wait time_of(std::uint64_t amount) const {
    const double seconds = static_cast<double>(amount) / static_cast<double>(per_second_);
    return seconds >= std::chrono::duration<double>{longest}.count()
               ? Wait{longest}
               : Wait{static_cast<Wait::rep>(seconds * 1e9)};
  }

  /// Empty is what needs the whole of `burst` to be full.
  [[nodiscard]] Wait wait_of(Deadline full_at, Deadline now) const {
    const Wait short_of_full = full_at - now;
    if (short_of_full < burst_) return {};
    return std::max<Wait>(short_of_full - burst_, Wait{1});
  }

  Deadline& bucket(const Party& party, Deadline now) {
    const auto found = buckets_.find(party);
    if (found != buckets_.end()) {
      recent_.splice(recent_.begin(), recent_, found->second);
      return found->second->full_at;
    }
    if (buckets_.size() == max_parties_) {
      buckets_.erase(recent_.back().party);
      recent_.pop_back();
    }
    recent_.push_front({party, now});
    buckets_.emplace(party, recent_.begin());
    return recent_.front().full_at;
  }

  const std::uint64_t per_second_;
  const std::chrono::nanoseconds burst_;
  const std::size_t max_parties_;
  mutable std::mutex mutex_;
  Buckets recent_;  // under mutex_; the last used first
  std::unordered_map<Party, typename Buckets::iterator, Hash> buckets_;  // under mutex_
};

}  // namespace annals::server
