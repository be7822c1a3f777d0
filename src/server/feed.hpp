#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "annals/read.hpp"
#include "server/frame_cache.hpp"
#include "server/frames.hpp"
#include "wire/cursor_query.hpp"

namespace annals::server {

/// Bytes queued for one peer, in order. Used on one thread.
class SendQueue {
 public:
  explicit SendQueue(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  void push(Slice slice);
  void push(std::string text);

  /// Queues the head of the answer, which nothing drops.
  void push_head(std::string head);

  /// The first `count` bytes were sent; `on_sent` is called with each piece that is through.
  void consume(std::size_t count, const std::function<void(const Slice&)>& on_sent = {});

  /// Drops everything behind the frame that is partly sent, if one is. Not while a write is under
  /// way: it still reads the slices.
  void keep_begun();

  [[nodiscard]] bool empty() const noexcept { return slices_.empty(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t max_bytes() const noexcept { return max_bytes_; }
  [[nodiscard]] std::size_t room() const noexcept {
    return bytes_ < max_bytes_ ? max_bytes_ - bytes_ : 0;
  }
  [[nodiscard]] std::span<const Slice> slices() const noexcept { return slices_; }

 private:
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  bool begun_ = false;  ///< Part of the first slice was sent.
  /// Holds no memory while it is empty, as most are of those who wait at the head.
  std::vector<Slice> slices_;
};

/// A page read from the log for one subscriber, encoded for it.
struct StorePage {
  FrameRunPtr run;           ///< From the cursor it was read for.
  std::size_t found = 0;     ///< Records that match, whether they fitted into `run` or not.
  std::uint64_t oldest = 1;  ///< Of the log when it was read.
  std::uint64_t head = 0;
};

/// One subscriber's way through the log: a cursor, what its reader is shown, and what comes next.
/// The only loop there is: take what follows the cursor, from the cache or from a page of the
/// store; at the head, wait. Knows no sockets. Used on one thread.
class Feed {
 public:
  /// Starts at `position`; its resync, if any, is the first frame. `head` is the log's at that
  /// time: before it is reached, nobody has caught up.
  Feed(Selection selection, const wire::Position& position, std::uint64_t head,
       std::size_t checkpoint_every);

  /// Queues what comes next, as far as there is room. True when it cannot go on without a page of
  /// the store after `cursor()`.
  bool fill(const FrameCache& cache, SendQueue& queue);

  /// Takes the page that was asked for. When retention overtook the cursor, what is lost is said
  /// first.
  void take(StorePage page, SendQueue& queue);

  /// What is sent after a long silence: a checkpoint that moves the cursor of a filtered stream, or
  /// a comment.
  void heartbeat(SendQueue& queue);

  /// The reader's key is this: its own events are shown from here on.
  void use_key(const Uuid& key_id) { selection_.viewer.reader.key_id = key_id; }

  [[nodiscard]] std::uint64_t cursor() const noexcept { return cursor_; }
  [[nodiscard]] std::uint64_t start_head() const noexcept { return start_head_; }
  [[nodiscard]] const Selection& selection() const noexcept { return selection_; }

 private:
  bool at_head(const FrameCache& cache, SendQueue& queue);
  void checkpoint(SendQueue& queue);

  Selection selection_;
  bool complete_;  ///< No event is left out.
  std::uint64_t checkpoint_every_;
  std::uint64_t cursor_;   ///< The last seq scanned.
  std::uint64_t last_id_;  ///< The last id sent.
  std::uint64_t start_head_;
  bool caught_up_ = false;                ///< Said so already.
  std::unique_ptr<const Resync> resync_;  ///< Rare, and said first.
  FrameRunPtr page_;
};

}  // namespace annals::server
