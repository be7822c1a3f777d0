#include "log/verify/pass.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "log/verify/chains.hpp"
#include "log/verify/erasures.hpp"
#include "log/verify/pipeline.hpp"
#include "log/verify/sequence.hpp"

namespace annals::log {

namespace {

constexpr std::size_t least_table_bytes = 4096;
constexpr std::size_t least_page_bytes = std::size_t{64} << 10U;

/// The checks of one pass with what they share. Fed in order; used on one thread.
class Pass {
 public:
  Pass(EventReader& reader, const PassPlan& plan, std::size_t max_findings)
      : reader_(reader),
        plan_(plan),
        outcome_{{}, Findings(max_findings), false},
        sequence_(plan.facts, plan.whole, plan.base.log_hash, plan.expect, unreadable_,
                  outcome_.findings),
        chains_(reader, plan.facts, plan.whole, plan.partition, unreadable_, outcome_.findings),
        erasures_(reader, outcome_.findings, plan.memory_bytes / 8) {}

  /// False when the streams do not fit in memory.
  bool on_range(const CheckedRange& range) {
    note_retention(range);
    auto unreadable = range.unreadable.begin();
    const auto lose_before = [&](std::uint64_t seq) {
      for (; unreadable != range.unreadable.end() && unreadable->range.first < seq; ++unreadable) {
        on_unreadable(*unreadable);
      }
    };
    for (const auto& row : range.rows) {
      lose_before(row.seq);
      on_row(row);
    }
    lose_before(max_seq + 1);
    if (whole_log()) {
      sequence_.on_mark(range);
      note_lost_ids(range);
    }
    return !plan_.may_split || chains_.table().bytes() <= table_limit();
  }

  PassOutcome finish() {
    if (whole_log()) {
      sequence_.finish();
      check_gap_records(reader_, plan_.facts, plan_.whole, outcome_.findings);
      if (covers_everything()) check_counts(reader_, plan_.facts, outcome_.findings);
    }
    chains_.finish();
    erasures_.finish();
    auto& report = outcome_.report;
    report.redacted = erasures_.redacted();
    report.streams = chains_.table().size();
    report.head = plan_.whole.empty() ? plan_.base.head : plan_.whole.last;
    report.log_hash = sequence_.running();
    return std::move(outcome_);
  }

  PassOutcome too_many_streams() {
    outcome_.too_many_streams = true;
    return std::move(outcome_);
  }

 private:
  [[nodiscard]] bool whole_log() const noexcept { return plan_.partition.residue == 0; }

  [[nodiscard]] bool covers_everything() const noexcept {
    return plan_.whole.first == plan_.facts.state.oldest &&
           plan_.whole.last == plan_.facts.state.event_seq;
  }

  [[nodiscard]] std::size_t table_limit() const noexcept {
    return std::max(least_table_bytes, plan_.memory_bytes / 2);
  }

  void on_row(const CheckedRow& row) {
    if (whole_log()) sequence_.on_row(row);
    if (!row.mine) return;
    auto& report = outcome_.report;
    ++report.events;
    ++(row.chained ? report.chained : report.unchained);
    const bool clean = chains_.on_row(row);
    if (row.erased || row.redacted_at) {
      erasures_.add(row, clean);
    } else if (clean) {
      ++report.verified;
    }
  }

  void on_unreadable(const UnreadableRange& lost) {
    unreadable_.add(lost.range);
    sequence_.on_unreadable(lost.range);
    if (!whole_log()) return;
    const bool one = lost.range.first == lost.range.last;
    outcome_.findings.add(could_not_verify(one ? "unreadable"
                                               : "unreadable " + std::to_string(lost.range.first) +
                                                     ".." + std::to_string(lost.range.last),
                                           {{}, lost.range.first}, {"", lost.reason}));
  }

  /// Retention may have moved on since the start: what it took can no longer be verified.
  void note_retention(const CheckedRange& range) {
    const std::uint64_t kept = std::max(plan_.facts.state.oldest, range.range.first);
    if (range.oldest <= kept) return;
    on_unreadable({{kept, std::min(range.oldest - 1, range.range.last)}, "expired meanwhile"});
  }

  void note_lost_ids(const CheckedRange& range) {
    for (const std::uint64_t seq : range.lost_ids) {
      auto finding = state_mismatch("not found by its id", {});
      finding.seq = seq;
      outcome_.findings.add(std::move(finding));
    }
    if (range.lost_ids_error) {
      outcome_.findings.add(
          could_not_verify("ids", {{}, range.range.first}, {"", range.lost_ids_error->detail}));
    }
  }

  EventReader& reader_;
  const PassPlan& plan_;
  PassOutcome outcome_;
  UnreadableNumbers unreadable_;
  SequenceCheck sequence_;
  ChainsCheck chains_;
  ErasureCheck erasures_;
};

RangeSettings range_settings(const PassPlan& plan) {
  RangeSettings settings;
  settings.log_id = plan.facts.state.log_id;
  settings.partition = plan.partition;
  settings.every_row = plan.partition.residue == 0;
  settings.page_bytes = std::max(least_page_bytes, plan.memory_bytes / 4 / plan.threads);
  return settings;
}

}  // namespace

PassOutcome verify_partition(EventReader& reader, const PassPlan& plan, std::size_t max_findings,
                             const VerifyProgress& progress) {
  Pass pass(reader, plan, max_findings);
  const std::uint64_t total = plan.whole.empty() ? 0 : plan.whole.last - plan.whole.first + 1;
  RangePipeline pipeline(reader, range_settings(plan), plan.whole, plan.threads);
  while (const auto range = pipeline.next()) {
    if (!pass.on_range(*range)) return pass.too_many_streams();
    progress(range->range.last - plan.whole.first + 1, total);
  }
  return pass.finish();
}

}  // namespace annals::log
