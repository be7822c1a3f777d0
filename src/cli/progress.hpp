#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>

#include "cli/streams.hpp"

namespace annals::cli {

/// `12,000 of 100,000  12 %  40,000/s  2s left`. Pure.
[[nodiscard]] std::string progress_text(std::uint64_t done, std::uint64_t total,
                                        std::chrono::milliseconds elapsed);

/// Shows how far something is, on standard error and only when that is a terminal; clears its line
/// at the end. Used on one thread at a time.
class Progress {
 public:
  explicit Progress(Streams& streams);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Draws anew when the last drawing is a tenth of a second old.
  void update(std::uint64_t done, std::uint64_t total);

 private:
  std::ostream& err_;
  bool visible_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace annals::cli
