#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "annals/record.hpp"
#include "annals/result.hpp"
#include "annals/time.hpp"
#include "server/access.hpp"

namespace annals::server {

/// Bytes to be sent and what keeps them alive. Shared between all who send them.
struct Slice {
  std::shared_ptr<const void> owner;
  std::string_view bytes;
  std::uint32_t events = 0;      ///< Whole events in it.
  std::uint64_t last_event = 0;  ///< The seq of the last one.
  Timestamp recorded_at{};       ///< Of the last one.
};

/// Consecutive events of the log as SSE frames: encoded once, shared by all subscribers. One
/// contiguous text per rendering, so that many frames are one piece of a write. Immutable after
/// `encode`.
class FrameRun {
 public:
  /// Which frames are encoded, and how many.
  struct Bounds {
    std::size_t max_bytes = 0;  ///< Of the larger rendering.
    bool first_anyway = false;  ///< The first frame may exceed it.
  };

  /// Encodes records from the front while they fit. `after` is the seq behind which they follow.
  /// With a viewer, only what it sees is encoded, for it alone; the other events count as scanned.
  static Result<std::shared_ptr<const FrameRun>> encode(std::span<const Record> records,
                                                        std::uint64_t after, const Bounds& bounds,
                                                        const Viewer* viewer);

  /// The events with `after() < seq <= last()` are here, or were left out for the viewer.
  [[nodiscard]] std::uint64_t after() const noexcept { return after_; }
  [[nodiscard]] std::uint64_t last() const noexcept { return last_; }

  /// How many records were used up.
  [[nodiscard]] std::size_t records() const noexcept { return records_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return text_[0].size() + text_[1].size(); }

  /// What a subscriber takes of a run in one step.
  struct Taken {
    std::string_view bytes;        ///< Whole frames; empty when nothing visible was met.
    std::uint64_t last = 0;        ///< The last seq scanned.
    std::uint64_t last_frame = 0;  ///< The last seq in `bytes`; 0 when there is none.
    std::uint32_t frames = 0;      ///< How many are in `bytes`.
    Timestamp recorded_at{};       ///< Of the last one.
    bool full = false;             ///< The next visible frame is beyond the bounds.
  };

  /// Takes visible frames that stand side by side, from the first one after `cursor`, within
  /// `bounds`. Events that are not visible are passed over, up to seq `stop_at` as long as no frame
  /// was met. `cursor` must be within the run.
  [[nodiscard]] Taken take(std::uint64_t cursor, const Viewer& viewer, const Bounds& bounds,
                           std::uint64_t stop_at) const;

 private:
  struct Mark {
    std::uint64_t seq = 0;
    std::array<std::size_t, 2> end{};  ///< Where the frame ends in each text.
    Uuid key_id;
    bool open_to_owner = false;
    Timestamp recorded_at{};

    [[nodiscard]] bool visible(const Viewer& viewer) const noexcept {
      return viewer.all || (open_to_owner && key_id == viewer.key_id);
    }
  };

  Result<void> add(const Record& record, const Viewer* viewer);
  void cut_last();

  std::uint64_t after_ = 0;
  std::uint64_t last_ = 0;
  std::size_t records_ = 0;
  std::vector<Mark> marks_;
  std::array<std::string, 2>
      text_;          ///< Privileged; for readers, unused while one text serves both.
  bool same_ = true;  ///< One text serves both.
};

using FrameRunPtr = std::shared_ptr<const FrameRun>;

}  // namespace annals::server
