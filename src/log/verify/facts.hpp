#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "annals/log_state.hpp"
#include "annals/read.hpp"
#include "annals/record.hpp"
#include "annals/result.hpp"
#include "log/ports/store.hpp"
#include "log/verify/range.hpp"

namespace annals::log {

/// What the store says of itself beside the rows: claims that verification compares with the rows.
/// Plain value.
struct LogFacts {
  LogState state;
  std::vector<Gap> gaps;  ///< By `from`.
  /// The last expired event of each stream below `oldest`, by stream name. A log that kept
  /// everything has none.
  std::vector<StreamHead> anchors;

  [[nodiscard]] std::optional<StreamHead> anchor(std::string_view stream) const;

  /// True when `seq` lies in a recorded gap.
  [[nodiscard]] bool in_gap(std::uint64_t seq) const noexcept;

  /// How many numbers of `range` lie in recorded gaps.
  [[nodiscard]] std::uint64_t numbers_in_gaps(SeqRange range) const noexcept;
};

/// Reads the claims as of now.
[[nodiscard]] Result<LogFacts> read_facts(EventReader& reader);

/// Numbers that could not be read so far, ascending. Used on one thread.
class UnreadableNumbers {
 public:
  /// Ranges come in ascending order.
  void add(SeqRange range) { ranges_.push_back(range); }

  /// True when some of them lie in `range`.
  [[nodiscard]] bool any_in(SeqRange range) const noexcept;

  [[nodiscard]] const std::vector<SeqRange>& ranges() const noexcept { return ranges_; }

 private:
  std::vector<SeqRange> ranges_;
};

/// What is left of `range` without the recorded gaps and the unreadable numbers.
[[nodiscard]] std::vector<SeqRange> unexplained(SeqRange range, const LogFacts& facts,
                                                const UnreadableNumbers& unreadable);

}  // namespace annals::log
