#include "log/verify/erasures.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "log/stream_reader.hpp"

namespace annals::log {

namespace {

constexpr std::size_t records_page = 100;
constexpr std::size_t least_pending = 16;

Finding unauthorised(std::string what, Place place, Mismatch mismatch) {
  Finding finding = tampered(std::move(what), place, std::move(mismatch));
  finding.verdict = "unauthorised_erasure";
  return finding;
}

std::string text_of(const std::optional<Timestamp>& time) {
  return time ? to_string(*time) : std::string{};
}

}  // namespace

ErasureCheck::ErasureCheck(EventReader& reader, Findings& findings, std::size_t memory_bytes)
    : reader_(reader),
      findings_(findings),
      limit_(std::max(least_pending, memory_bytes / sizeof(Erasure))) {}

void ErasureCheck::add(const CheckedRow& row, bool clean) {
  if (!row.erased) {
    findings_.add(
        unauthorised("redacted_at", {row.stream, row.seq}, {"", text_of(row.redacted_at)}));
    return;
  }
  pending_.push_back({.seq = row.seq,
                      .payload = row.erased->payload,
                      .meta = row.erased->meta,
                      .redacted_at = row.redacted_at,
                      .recorded_at = std::nullopt,
                      .clean = clean});
  if (pending_.size() >= limit_) settle();
}

void ErasureCheck::finish() {
  if (!pending_.empty()) settle();
}

void ErasureCheck::settle() {
  std::ranges::sort(pending_, {}, &Erasure::seq);
  const auto error = match_records();
  for (const auto& erasure : pending_)
    report(erasure, error);
  pending_.clear();
}

std::optional<Error> ErasureCheck::match_records() {
  StreamReadOptions options{.after = 0, .limit = records_page, .verify = true};
  while (true) {
    auto page = read_stream(reader_, redactions_stream, options);
    if (!page) return page.error();
    for (const auto& record : page->records)
      match(record);
    // What stands behind a break proves nothing.
    if (!page->breaks.empty() || page->records.empty()) return std::nullopt;
    options.after = page->records.back().header.stream_seq.value_or(max_seq);
  }
}

void ErasureCheck::match(const Record& record) {
  if (record.header.type != redacted_type || !record.payload) return;
  const auto targets = parse_redaction(record.payload->bytes);
  if (!targets) return;
  for (const auto& target : *targets) {
    const auto found = std::ranges::lower_bound(pending_, target.seq, {}, &Erasure::seq);
    if (found == pending_.end() || found->seq != target.seq) continue;
    auto& part = target.part == PartKind::payload ? found->payload : found->meta;
    if (part != target.digest) continue;
    part.reset();
    if (!found->recorded_at) found->recorded_at = record.header.recorded_at;
  }
}

void ErasureCheck::report(const Erasure& erasure, const std::optional<Error>& error) {
  const bool explained = !erasure.payload && !erasure.meta;
  if (explained && erasure.redacted_at == erasure.recorded_at) {
    if (erasure.clean) ++redacted_;
    return;
  }
  std::string stream;
  if (const auto record = reader_.find(erasure.seq); record && *record) {
    stream = (*record)->header.stream.value_or("");
  }
  const Place place{stream, erasure.seq};
  const auto add = [&](std::string what, Mismatch mismatch) {
    findings_.add(error ? could_not_verify("the erasure of " + what, place, {"", error->detail})
                        : unauthorised(std::move(what), place, std::move(mismatch)));
  };
  if (erasure.payload) add("payload", {to_hex(*erasure.payload), ""});
  if (erasure.meta) add("meta", {to_hex(*erasure.meta), ""});
  if (explained) {
    add("redacted_at", {text_of(erasure.recorded_at), text_of(erasure.redacted_at)});
  }
}

}  // namespace annals::log
