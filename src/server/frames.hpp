#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "annals/record.hpp"
#include "annals/result.hpp"
#include "annals/time.hpp"
#include "server/selection.hpp"

namespace annals::server {

/// Bytes to be sent and what keeps them alive. Shared between all who send them.
struct Slice {
  std::shared_ptr<const void> owner;
  std::string_view bytes;
  std::uint32_t events = 0;      ///< Whole events in it.
  std::uint64_t last_event = 0;  ///< The seq of the last one.
  Timestamp recorded_at{};       ///< Of the last one.
};

/// The frames of some events in one format: one contiguous text per rendering, so that many frames
/// are one piece of a write. Plain value.
struct FrameTexts {
  std::array<std::string, 2> text;               ///< Privileged; for readers, unused while `same`.
  std::vector<std::array<std::size_t, 2>> ends;  ///< Where each frame ends in each text.
  bool same = true;                              ///< One text serves both renderings.

  /// Notes the end of a frame.
  void end_frame() { ends.push_back({text[0].size(), text[1].size()}); }

  /// Which text is for the rendering.
  [[nodiscard]] std::size_t index_of(wire::Rendering rendering) const noexcept {
    return rendering == wire::Rendering::privileged || same ? 0 : 1;
  }
};

/// Consecutive events of the log as SSE frames: encoded once, shared by all subscribers. Those of
/// the log itself are encoded as envelopes, and in another format for the first who asks for it;
/// that text lives as long as somebody sends it. Thread-safe after `encode`: nothing seen of it
/// changes.
class FrameRun {
 public:
  /// Which frames are encoded, and how many.
  struct Bounds {
    std::size_t max_bytes = 0;  ///< Of the larger rendering.
    bool first_anyway = false;  ///< The first frame may exceed it.
  };

  /// Encodes all records for all readers, from the front while they fit. `after` is the seq behind
  /// which they follow. `store_corrupt` when one cannot be read.
  static Result<std::shared_ptr<const FrameRun>> encode(std::span<const Record> records,
                                                        std::uint64_t after, const Bounds& bounds);

  /// What a page of the store holds for one reader.
  struct Page {
    std::span<const Record> records;  ///< Those that match the reader's filter.
    std::uint64_t after = 0;          ///< The seq behind which was looked.
    std::uint64_t scanned = 0;        ///< The last seq looked at.
  };

  /// Encodes of a page what the reader may see, for it alone and in its format; other events count
  /// as scanned.
  static Result<std::shared_ptr<const FrameRun>> encode_for(const Page& page, const Bounds& bounds,
                                                            const Selection& selection);

  /// The events with `after() < seq <= last()` are here, or were left out for the reader.
  [[nodiscard]] std::uint64_t after() const noexcept { return after_; }
  [[nodiscard]] std::uint64_t last() const noexcept { return last_; }

  /// How many records were used up.
  [[nodiscard]] std::size_t records() const noexcept { return records_; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return texts_.text[0].size() + texts_.text[1].size() + subject_bytes_;
  }

  /// What a subscriber takes of a run in one step.
  struct Taken {
    Slice slice;             ///< Whole frames; empty when nothing selected was met.
    std::uint64_t last = 0;  ///< The last seq scanned.
    bool full = false;       ///< The next selected frame is beyond the bounds.
  };

  /// Takes selected frames that stand side by side, from the first one after `cursor`, within
  /// `bounds`. Events that are not selected are passed over, up to seq `stop_at` as long as no
  /// frame was met. `cursor` must be within `run`; the slice keeps alive what it shows. Nothing is
  /// copied. A run for one reader has the format of that reader only.
  [[nodiscard]] static Taken take(const std::shared_ptr<const FrameRun>& run, std::uint64_t cursor,
                                  const Selection& selection, const Bounds& bounds,
                                  std::uint64_t stop_at);

 private:
  struct Mark {
    std::uint64_t seq = 0;
    std::size_t payload_bytes = 0;  ///< At the end of the envelope.
    bool redacted = false;
    Timestamp recorded_at{};
  };

  /// What a reader's selection is decided by.
  struct Subject {
    Header header;
    std::optional<Meta> meta;
  };

  /// Texts of this run and what keeps them alive.
  struct Shared {
    std::shared_ptr<const void> owner;
    const FrameTexts* texts = nullptr;
  };

  Result<void> add(const Record& record, wire::Rendering rendering);
  Result<void> add_for_all(const Record& record);
  Result<void> add_subject(const Record& record);
  [[nodiscard]] bool over(const Bounds& bounds) const noexcept;
  void cut_last();
  [[nodiscard]] bool selects(const Selection& selection, std::size_t at) const;
  [[nodiscard]] std::string_view payload(std::size_t at) const;
  [[nodiscard]] FrameTexts derive(wire::Format format) const;
  [[nodiscard]] static Shared in_format(const std::shared_ptr<const FrameRun>& run,
                                        wire::Format format);

  std::uint64_t after_ = 0;
  std::uint64_t last_ = 0;
  std::size_t records_ = 0;
  std::vector<Mark> marks_;
  std::vector<Subject> subjects_;  ///< Beside the marks; empty in a run for one reader.
  std::size_t subject_bytes_ = 0;  ///< About, in memory.
  wire::Format format_ = wire::Format::envelope;
  FrameTexts texts_;  ///< In `format_`.

  mutable std::mutex mutex_;
  mutable std::array<std::weak_ptr<const FrameTexts>, wire::formats>
      derived_;  ///< By format; under mutex_.
};

using FrameRunPtr = std::shared_ptr<const FrameRun>;

}  // namespace annals::server
