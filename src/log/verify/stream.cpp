#include "log/verify/stream.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "log/verify/chains.hpp"
#include "log/verify/erasures.hpp"
#include "log/verify/findings.hpp"

namespace annals::log {

namespace {

constexpr std::size_t page_limit = 500;

/// After so many unreadable events in a row the rest of the stream counts as lost.
constexpr unsigned patience = 1000;

/// Walks one stream by its numbers. Used once, on one thread.
class StreamWalk {
 public:
  StreamWalk(EventReader& reader, const LogFacts& facts, SeqRange whole,
             const VerifyOptions& options, std::size_t memory_bytes)
      : reader_(reader),
        facts_(facts),
        whole_(whole),
        stream_(*options.stream),
        findings_(options.max_findings),
        chains_(reader, facts, whole, {}, unreadable_, findings_),
        erasures_(reader, findings_, memory_bytes / 8),
        checker_(reader.derives_digests()),
        last_seq_(whole.first - 1) {}

  /// As long as there are events within the range. `version` is the stream's, for progress.
  void walk(std::uint64_t version, const VerifyProgress& progress) {
    std::uint64_t after = 0;
    std::size_t limit = page_limit;
    unsigned failures = 0;
    while (true) {
      const auto page = reader_.stream_page(stream_, {.after = after, .limit = limit});
      if (!page && limit > 1) {
        limit = std::max<std::size_t>(1, limit / 8);
        continue;
      }
      if (!page) {
        lose(after + 1, page.error());
        if (++after >= version || ++failures >= patience) break;
        continue;
      }
      failures = 0;
      for (const auto& record : page->records)
        on_record(record);
      // Only an empty page is the end: a short one may stop before a row that cannot be read.
      if (page->records.empty() || page->records.back().header.seq > whole_.last) break;
      after = page->records.back().header.stream_seq.value_or(after + limit);
      if (progress) progress(std::min(after, version), version);
      limit = std::min(limit * 4, page_limit);
    }
    if (lost_) unreadable_.add({last_seq_ + 1, whole_.last});
  }

  VerifyReport finish(const StreamHead& head, const std::optional<Receipt>& expect) {
    chains_.finish_stream(head);
    erasures_.finish();
    if (expect) {
      findings_.add(could_not_verify("a receipt is of the whole log, not of a stream", {},
                                     {to_hex(expect->log_hash), ""}));
    }
    report_.redacted = erasures_.redacted();
    report_.chained = report_.events;
    report_.streams = chains_.table().size();
    report_.head = whole_.last;
    report_.finding_count = findings_.count();
    report_.findings = findings_.take();
    return std::move(report_);
  }

 private:
  void on_record(const Record& record) {
    const auto& header = record.header;
    if (header.seq < whole_.first || header.seq > whole_.last) return;
    if (lost_) unreadable_.add({last_seq_ + 1, header.seq - 1});
    lost_ = false;
    last_seq_ = header.seq;
    ++report_.events;
    const auto row = check_row(checker_, record, facts_.state.log_id);
    const bool clean = chains_.on_row(row);
    if (row.erased || row.redacted_at) {
      erasures_.add(row, clean);
    } else if (clean) {
      ++report_.verified;
    }
  }

  void lose(std::uint64_t number, const Error& error) {
    lost_ = true;
    findings_.add(could_not_verify("number " + std::to_string(number) + " is unreadable",
                                   {stream_, 0}, {"", error.detail}));
  }

  EventReader& reader_;
  const LogFacts& facts_;
  SeqRange whole_;
  std::string stream_;
  Findings findings_;
  UnreadableNumbers unreadable_;
  ChainsCheck chains_;
  ErasureCheck erasures_;
  RecordChecker checker_;
  VerifyReport report_;
  std::uint64_t last_seq_;
  bool lost_ = false;  ///< Numbers after the last event could not be read.
};

}  // namespace

Result<VerifyReport> verify_stream(EventReader& reader, const LogFacts& facts, SeqRange whole,
                                   const VerifyOptions& options, std::size_t memory_bytes,
                                   const VerifyProgress& progress) {
  const auto head = reader.stream(*options.stream);
  if (!head) return std::unexpected(head.error());
  if (!*head) return fail(ErrorCode::not_found, "no stream has this name");
  StreamWalk walk(reader, facts, whole, options, memory_bytes);
  walk.walk((*head)->version, progress);
  return walk.finish(**head, options.expect);
}

}  // namespace annals::log
