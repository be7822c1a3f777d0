#pragma once

#include <cstdint>
#include <optional>

#include "annals/verify.hpp"
#include "log/verify/facts.hpp"
#include "log/verify/findings.hpp"
#include "log/verify/range.hpp"

namespace annals::log {

/// Checks what concerns the log as one sequence: numbers without holes, the running hash against
/// marks, receipt and state, and the counters. Fed with every row in order; used on one thread.
class SequenceCheck {
 public:
  /// `base` is the running hash before `whole.first`. The references must outlive this.
  SequenceCheck(const LogFacts& facts, SeqRange whole, Digest base, std::optional<Receipt> expect,
                const UnreadableNumbers& unreadable, Findings& findings);

  void on_row(const CheckedRow& row);

  /// Numbers that could not be read; already among the unreadable numbers.
  void on_unreadable(const SeqRange& range);

  /// The mark of the row fed last, or none where one belongs.
  void on_mark(const CheckedRange& range);

  /// Everything was fed: numbers missing at the end, the receipt, and the state when the range ends
  /// at the head.
  void finish();

  /// The running hash over what was fed.
  [[nodiscard]] const Digest& running() const noexcept { return running_; }

 private:
  void report_hole(SeqRange hole);
  void check_receipt();
  void check_state();

  const LogFacts& facts_;
  SeqRange whole_;
  std::optional<Receipt> expect_;
  const UnreadableNumbers& unreadable_;
  Findings& findings_;

  std::uint64_t next_;
  Digest running_;        ///< From the base, over the stored row hashes.
  Digest resynced_;       ///< The same, continued from a mark after one that disagreed.
  bool broken_ = false;   ///< A row was lost and no mark came yet: the running hash is unknown.
  std::uint64_t marked_;  ///< Up to here marks agreed.
  std::optional<Digest> at_receipt_;
  bool receipt_unknown_ = false;
  std::uint64_t last_seq_ = 0;
  Timestamp last_recorded_at_;
  std::uint64_t last_permission_version_ = 0;
};

/// Compares the number of rows with the counters, on a log that may be growing meanwhile, and looks
/// for rows above the head. `facts` as of the start.
void check_counts(EventReader& reader, const LogFacts& facts, Findings& findings);

/// Every recorded gap up to `head` needs a record of the log that names it.
void check_gap_records(EventReader& reader, const LogFacts& facts, SeqRange whole,
                       Findings& findings);

}  // namespace annals::log
