#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "server/frames.hpp"

namespace annals::server {

/// The most recent events in encoded form, for subscribers near the head. Only a cache: it may be
/// empty or begin late at any time, and what is not here is read from the log. Used on one thread.
class FrameCache {
 public:
  /// `max_bytes` bounds the encoded bytes kept.
  explicit FrameCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Adds the next run. One that does not continue the last drops what was there.
  void push(FrameRunPtr run);

  /// The log has grown to `head`; what is between was not encoded.
  void advance(std::uint64_t head);

  /// The highest seq heard of.
  [[nodiscard]] std::uint64_t head() const noexcept { return head_; }

  /// The run that goes on after `cursor`; null when it is not here any more, or not yet.
  [[nodiscard]] FrameRunPtr find(std::uint64_t cursor) const;

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::uint64_t head_ = 0;
  std::deque<FrameRunPtr> runs_;
};

}  // namespace annals::server
