#include "log/verify.hpp"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "log/receipt_at.hpp"
#include "log/verify/pass.hpp"
#include "log/verify/stream.hpp"

namespace annals::log {

namespace {

constexpr unsigned max_threads = 64;

/// Splitting further would not make the table smaller.
constexpr std::uint64_t max_modulus = std::uint64_t{1} << 20U;

/// A log that fits in one range gains nothing from more threads.
unsigned threads_for(SeqRange whole, unsigned wanted) {
  if (whole.empty() || whole.last - whole.first < core::hash_mark_interval) return 1;
  if (wanted == 0) wanted = std::thread::hardware_concurrency();
  return std::clamp(wanted, 1U, max_threads);
}

/// What of the log is verified. A range above the head is empty and begins right after it.
Result<SeqRange> range_of(const VerifyOptions& options, const LogState& state) {
  if (options.to != 0 && options.from > options.to) {
    return fail(ErrorCode::invalid_request, "the range ends before it begins");
  }
  const std::uint64_t head = state.event_seq;
  return SeqRange{std::min(std::max(options.from, state.oldest), head + 1),
                  options.to == 0 ? head : std::min(options.to, head)};
}

void add_counts(VerifyReport& total, const VerifyReport& pass) {
  total.events += pass.events;
  total.verified += pass.verified;
  total.redacted += pass.redacted;
  total.chained += pass.chained;
  total.unchained += pass.unchained;
  total.streams += pass.streams;
}

/// Runs passes over partitions until every stream was verified.
class PartitionedWalk {
 public:
  PartitionedWalk(EventReader& reader, PassPlan plan, const VerifyOptions& options,
                  const VerifyProgress& progress)
      : reader_(reader),
        plan_(std::move(plan)),
        findings_(options.max_findings),
        max_findings_(options.max_findings),
        progress_(progress) {}

  VerifyReport run() {
    VerifyReport report;
    std::vector<Partition> waiting{{}};
    while (!waiting.empty()) {
      const Partition partition = waiting.back();
      waiting.pop_back();
      plan_.partition = partition;
      plan_.may_split = partition.modulus < max_modulus;
      const auto passes = static_cast<std::uint64_t>(finished_ + waiting.size() + 1);
      auto outcome = verify_partition(reader_, plan_, max_findings_,
                                      [&](std::uint64_t done, std::uint64_t total) {
                                        if (progress_)
                                          progress_(finished_ * total + done, passes * total);
                                      });
      if (outcome.too_many_streams) {
        const std::uint64_t modulus = partition.modulus * 2;
        waiting.push_back({modulus, partition.residue + partition.modulus});
        waiting.push_back({modulus, partition.residue});
        continue;
      }
      add_counts(report, outcome.report);
      if (partition.residue == 0) {
        report.head = outcome.report.head;
        report.log_hash = outcome.report.log_hash;
      }
      ++finished_;
      findings_.merge(std::move(outcome.findings));
    }
    report.finding_count = findings_.count();
    report.findings = findings_.take();
    return report;
  }

 private:
  EventReader& reader_;
  PassPlan plan_;
  Findings findings_;
  std::size_t max_findings_;
  const VerifyProgress& progress_;
  std::uint64_t finished_ = 0;  ///< Passes.
};

}  // namespace

Result<VerifyReport> verify(EventReader& reader, const VerifyOptions& options,
                            std::size_t memory_bytes, const VerifyProgress& progress,
                            unsigned threads) {
  auto facts = read_facts(reader);
  if (!facts) return std::unexpected(std::move(facts.error()));
  const auto range = range_of(options, facts->state);
  if (!range) return std::unexpected(range.error());
  if (options.stream) {
    return verify_stream(reader, *facts, *range, options, memory_bytes, progress);
  }
  PassPlan plan;
  plan.whole = *range;
  plan.base = {facts->state.oldest - 1, facts->state.base_log_hash};
  plan.expect = options.expect;
  plan.memory_bytes = memory_bytes;
  plan.threads = threads_for(*range, threads);
  if (range->first > facts->state.oldest) {
    const auto before = receipt_before(reader, range->first);
    if (!before) return std::unexpected(before.error());
    plan.base = *before;
  }
  plan.facts = std::move(*facts);
  return PartitionedWalk(reader, std::move(plan), options, progress).run();
}

}  // namespace annals::log
