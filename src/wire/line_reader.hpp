#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annals::wire {

/// One line of an NDJSON body.
struct Line {
  std::uint64_t number = 0;  ///< From 1; empty lines count.
  std::string text;          ///< Without its end; empty when it was too long.
  bool too_long = false;     ///< Longer than the bound: its text was skipped.
};

/// Cuts a body that arrives in pieces into lines ended by LF or CR LF; the last one needs no end.
/// Lines without anything but spaces are passed over. Keeps at most one line of `max_bytes` and the
/// piece given last. Used on one thread.
class LineReader {
 public:
  explicit LineReader(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Takes the next piece; `next` must have returned `nullopt` before. The bytes must stay valid
  /// until it does so again.
  void feed(std::string_view piece) noexcept { piece_ = piece; }

  /// No more pieces: what was begun is a line.
  void finish() noexcept { finished_ = true; }

  /// The next line; `nullopt` when the piece is used up.
  std::optional<Line> next();

 private:
  void take(std::string_view part);
  std::optional<Line> end_line();

  std::size_t max_bytes_;
  std::string_view piece_;
  std::string partial_;
  bool begun_ = false;
  bool too_long_ = false;
  bool finished_ = false;
  std::uint64_t lines_ = 0;
};

}  // namespace annals::wire
