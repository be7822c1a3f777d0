#include "log/verify/sequence.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/hash.hpp"
#include "log/verify/records.hpp"

namespace annals::log {

namespace {

Finding log_hash_mismatch(std::string what, std::uint64_t seq, const Digest& expected,
                          const Digest& actual) {
  return {.verdict = "log_hash_mismatch",
          .what = std::move(what),
          .seq = seq,
          .expected = to_hex(expected),
          .actual = to_hex(actual)};
}

Finding seq_gap(std::string what, std::uint64_t seq, Mismatch mismatch) {
  return {.verdict = "seq_gap",
          .what = std::move(what),
          .seq = seq,
          .expected = std::move(mismatch.expected),
          .actual = std::move(mismatch.actual)};
}

std::string range_text(SeqRange range) {
  return std::to_string(range.first) + ".." + std::to_string(range.last);
}

}  // namespace

SequenceCheck::SequenceCheck(const LogFacts& facts, SeqRange whole, Digest base,
                             std::optional<Receipt> expect, const UnreadableNumbers& unreadable,
                             Findings& findings)
    : facts_(facts),
      whole_(whole),
      expect_(expect),
      unreadable_(unreadable),
      findings_(findings),
      next_(whole.first),
      running_(base),
      resynced_(base),
      marked_(whole.first - 1) {
  if (expect_ && expect_->head == whole.first - 1) at_receipt_ = base;
}

void SequenceCheck::on_row(const CheckedRow& row) {
  if (row.seq > next_) report_hole({next_, row.seq - 1});
  if (facts_.in_gap(row.seq)) {
    findings_.add(seq_gap("an event inside a recorded gap", row.seq, {}));
  }
  next_ = row.seq + 1;
  last_seq_ = row.seq;
  last_recorded_at_ = row.recorded_at;
  last_permission_version_ = row.permission_version;
  if (broken_) return;
  const bool same = running_ == resynced_;
  running_ = core::next_log_hash(running_, row.row_hash);
  resynced_ = same ? running_ : core::next_log_hash(resynced_, row.row_hash);
  if (expect_ && expect_->head == row.seq) at_receipt_ = running_;
}

void SequenceCheck::on_unreadable(const SeqRange& range) {
  broken_ = true;
  const bool receipt_beyond = expect_ && expect_->head >= range.first;
  receipt_unknown_ = receipt_unknown_ || receipt_beyond;
}

void SequenceCheck::on_mark(const CheckedRange& range) {
  const std::uint64_t seq = range.range.last;
  if (seq % core::hash_mark_interval != 0 || last_seq_ != seq) return;
  if (range.mark_error) {
    findings_.add(could_not_verify("hash mark", {{}, seq}, {"", range.mark_error->detail}));
    return;
  }
  if (!range.mark) {
    findings_.add(state_mismatch("hash mark", {"a mark at " + std::to_string(seq), "none"}));
    return;
  }
  const Digest& mark = range.mark->log_hash;
  if (broken_) {
    running_ = mark;
    resynced_ = mark;
    broken_ = false;
  } else if (mark == running_) {
    resynced_ = running_;
  } else if (mark != resynced_) {
    findings_.add(log_hash_mismatch("hash mark over " + range_text({marked_ + 1, seq}), seq, mark,
                                    resynced_));
    resynced_ = mark;
  }
  marked_ = seq;
}

void SequenceCheck::finish() {
  if (next_ <= whole_.last) report_hole({next_, whole_.last});
  if (expect_) check_receipt();
  if (whole_.last == facts_.state.event_seq) check_state();
}

void SequenceCheck::report_hole(SeqRange hole) {
  for (const auto& missing : unexplained(hole, facts_, unreadable_)) {
    const std::string next = hole.last >= whole_.last ? "the end" : std::to_string(hole.last + 1);
    findings_.add(seq_gap("missing " + range_text(missing), missing.first,
                          {std::to_string(missing.first), next}));
  }
}

void SequenceCheck::check_receipt() {
  const std::uint64_t head = expect_->head;
  const std::string expected = to_hex(expect_->log_hash);
  if (head > facts_.state.event_seq) {
    findings_.add({.verdict = "rolled_back",
                   .what = "the log ends before the receipt",
                   .expected = std::to_string(head),
                   .actual = std::to_string(facts_.state.event_seq)});
  } else if (head + 1 < whole_.first || head > whole_.last) {
    const bool expired = head + 1 < facts_.state.oldest;
    findings_.add(could_not_verify(expired ? "the receipt is older than the oldest event kept"
                                           : "the receipt is outside the verified range",
                                   {}, {expected, ""}));
  } else if (receipt_unknown_) {
    findings_.add(could_not_verify("events before the receipt are unreadable", {}, {expected, ""}));
  } else if (!at_receipt_) {
    findings_.add({.verdict = "rolled_back",
                   .what = "the receipt's event is not there",
                   .seq = head,
                   .expected = expected});
  } else if (*at_receipt_ != expect_->log_hash) {
    findings_.add(log_hash_mismatch("receipt", head, expect_->log_hash, *at_receipt_));
  }
}

void SequenceCheck::check_state() {
  const auto& state = facts_.state;
  if (!broken_ && state.log_hash != running_) {
    findings_.add(log_hash_mismatch("log_hash of the state", 0, state.log_hash, running_));
  }
  if (state.oldest == 1 && state.base_log_hash != Digest{}) {
    findings_.add(state_mismatch("base_log_hash", hashes(Digest{}, state.base_log_hash)));
  }
  if (last_seq_ != state.event_seq || last_seq_ == 0) return;
  if (state.last_recorded_at != last_recorded_at_) {
    findings_.add(state_mismatch(
        "last_recorded_at", {to_string(state.last_recorded_at), to_string(last_recorded_at_)}));
  }
  // Whatever raises it is an event that carries the new one.
  if (state.permission_version != last_permission_version_) {
    findings_.add(state_mismatch("permission_version",
                                 numbers(state.permission_version, last_permission_version_)));
  }
}

namespace {

std::uint64_t expected_rows(const LogState& state, const LogFacts& facts) {
  if (state.event_seq < state.oldest) return 0;
  const SeqRange kept{state.oldest, state.event_seq};
  return kept.last - kept.first + 1 - facts.numbers_in_gaps(kept);
}

}  // namespace

void check_counts(EventReader& reader, const LogFacts& facts, Findings& findings) {
  const auto count = reader.count();
  const auto beyond = reader.page({.after = facts.state.event_seq, .limit = 1000});
  const auto now = read_facts(reader);
  if (!count || !beyond || !now) {
    const auto& error = !count ? count.error() : !beyond ? beyond.error() : now.error();
    findings.add(could_not_verify("number of events", {}, {"", error.detail}));
    return;
  }
  const std::uint64_t least =
      expected_rows({.event_seq = facts.state.event_seq, .oldest = now->state.oldest}, facts);
  const std::uint64_t most =
      expected_rows({.event_seq = now->state.event_seq, .oldest = facts.state.oldest}, *now);
  if (*count < least) findings.add(state_mismatch("number of events", numbers(least, *count)));
  if (*count > most) findings.add(state_mismatch("number of events", numbers(most, *count)));
  for (const auto& record : beyond->records) {
    if (record.header.seq <= beyond->head) continue;
    Finding finding =
        state_mismatch("an event above the head", numbers(beyond->head, record.header.seq));
    finding.stream = record.header.stream.value_or("");
    finding.seq = record.header.seq;
    findings.add(std::move(finding));
  }
}

void check_gap_records(EventReader& reader, const LogFacts& facts, SeqRange whole,
                       Findings& findings) {
  for (const auto& gap : facts.gaps) {
    if (gap.to < whole.first || gap.from > whole.last) continue;
    const auto record = reader.find(gap.record_seq);
    if (!record) {
      findings.add(could_not_verify("the record of a gap", {{}, gap.record_seq},
                                    {"", record.error().detail}));
      continue;
    }
    bool named = false;
    if (*record && (*record)->header.type.starts_with("log.")) {
      const auto listed = parse_gaps(payload_of(**record));
      named =
          listed && std::ranges::find(*listed, SkippedNumbers{gap.from, gap.to}) != listed->end();
    }
    if (!named) {
      findings.add(seq_gap("no record explains " + range_text({gap.from, gap.to}), gap.from, {}));
    }
  }
}

}  // namespace annals::log
