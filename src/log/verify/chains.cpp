#include "log/verify/chains.hpp"

#include <optional>
#include <utility>

namespace annals::log {

namespace {

constexpr std::size_t heads_page = 1000;

/// What a map node costs beside the name: key and value, hash, links, its share of the buckets.
constexpr std::size_t node_bytes = sizeof(std::string) + sizeof(ChainEnd) + 64;

}  // namespace

const ChainEnd* ChainTable::find(std::string_view stream) const {
  const auto found = ends_.find(stream);
  return found == ends_.end() ? nullptr : &found->second;
}

void ChainTable::set(const std::string& stream, const ChainEnd& end) {
  const auto [entry, added] = ends_.try_emplace(stream, end);
  if (!added) {
    entry->second = end;
    return;
  }
  bytes_ += node_bytes + stream.size();
}

bool ChainsCheck::on_row(const CheckedRow& row) {
  const Place place{row.stream, row.seq};
  if (row.chained) return check_link_of(row);
  if (row.fault) add_record_fault(findings_, place, *row.fault);
  const auto verdict = check_unchained(row.link);
  if (verdict != LinkVerdict::ok) add_link_fault(findings_, place, verdict, nullptr, row.link);
  return !row.fault && verdict == LinkVerdict::ok;
}

bool ChainsCheck::check_link_of(const CheckedRow& row) {
  const Place place{row.stream, row.seq};
  bool unanchored = false;
  std::optional<ChainEnd> start;
  const ChainEnd* end = table_.find(row.stream);
  if (end == nullptr) {
    start = start_of(row, unanchored);
    if (start) end = &*start;
  }
  const auto verdict = unanchored ? LinkVerdict::ok : check_link(end, row.link);
  const bool moved = row.fault && verdict == LinkVerdict::wrong_hash &&
                     only_link_changed(*row.fault, end, row.row_hash);
  if (row.fault && !moved) add_record_fault(findings_, place, *row.fault);
  if (unanchored) {
    Finding finding =
        tampered("", place, {"", row.link.prev_hash ? to_hex(*row.link.prev_hash) : ""});
    finding.verdict = "uncorroborated_anchor";
    finding.what =
        "nothing says what stood before number " + std::to_string(row.link.stream_seq.value_or(0));
    findings_.add(std::move(finding));
  } else if (verdict == LinkVerdict::wrong_number &&
             excused(end == nullptr ? whole_.first - 1 : end->seq, row.seq)) {
    findings_.add(could_not_verify(
        "link", place,
        numbers(end == nullptr ? 1 : end->version + 1, row.link.stream_seq.value_or(0))));
  } else if (verdict != LinkVerdict::ok) {
    add_link_fault(findings_, place, verdict, end, row.link);
  }
  table_.set(row.stream,
             {row.link.stream_seq.value_or(0), row.row_hash, row.link.prev_hash, row.seq});
  return !row.fault && !unanchored && verdict == LinkVerdict::ok;
}

std::optional<ChainEnd> ChainsCheck::start_of(const CheckedRow& row, bool& unanchored) const {
  const std::uint64_t number = row.link.stream_seq.value_or(0);
  if (number <= 1) return std::nullopt;
  if (whole_.first > facts_.state.oldest) {
    // The range begins inside the log: the predecessor is read, and its hash taken as given.
    const auto page = reader_.stream_page(row.stream, {.after = number - 2, .limit = 1});
    if (page && !page->records.empty() && page->records.front().header.stream_seq == number - 1) {
      const auto& before = page->records.front();
      return ChainEnd{number - 1, before.row_hash, before.prev_hash, before.header.seq};
    }
  }
  if (facts_.state.oldest == 1) return std::nullopt;
  if (const auto anchor = facts_.anchor(row.stream)) {
    return ChainEnd{anchor->version, anchor->hash, std::nullopt, 0};
  }
  unanchored = true;
  return std::nullopt;
}

bool ChainsCheck::excused(std::uint64_t after, std::uint64_t before) const {
  return unreadable_.any_in({after + 1, before - 1});
}

void ChainsCheck::finish() {
  if (whole_.last != facts_.state.event_seq) return;
  std::uint64_t found = 0;
  std::string after;
  while (true) {
    const auto heads = reader_.streams("", after, heads_page);
    if (!heads) {
      findings_.add(could_not_verify("stream heads", {}, {"", heads.error().detail}));
      return;
    }
    for (const auto& head : *heads) {
      if (!partition_.contains(head.stream)) continue;
      if (table_.find(head.stream) != nullptr) ++found;
      check_head(head);
    }
    if (heads->empty()) break;
    after = heads->back().stream;
  }
  if (found >= table_.size()) return;
  table_.for_each(
      [this](const std::string& stream, const ChainEnd& end) { check_headless(stream, end); });
}

void ChainsCheck::finish_stream(const StreamHead& head) {
  if (whole_.last == facts_.state.event_seq) check_head(head);
}

void ChainsCheck::check_head(const StreamHead& head) {
  const ChainEnd* end = table_.find(head.stream);
  if (end == nullptr) {
    if (whole_.first == facts_.state.oldest) check_unseen(head);
    return;
  }
  if (head.version > end->version) {
    check_grown(head, *end);
    return;
  }
  if (head.version == end->version && head.hash == end->hash) return;
  Finding finding = state_mismatch("stream head", head.version == end->version
                                                      ? hashes(head.hash, end->hash)
                                                      : numbers(head.version, end->version));
  finding.stream = head.stream;
  finding.seq = end->seq;
  findings_.add(std::move(finding));
}

void ChainsCheck::check_grown(const StreamHead& head, const ChainEnd& end) {
  // The log may have grown since the start: then the next event of the stream is a new one.
  const auto page = reader_.stream_page(head.stream, {.after = end.version, .limit = 1});
  if (!page) {
    findings_.add(
        could_not_verify("stream head", {head.stream, end.seq}, {"", page.error().detail}));
    return;
  }
  if (!page->records.empty()) {
    const auto& next = page->records.front();
    const Link link{next.header.stream_seq, next.prev_hash};
    if (next.header.seq > whole_.last && check_link(&end, link) == LinkVerdict::ok) return;
  }
  if (excused(end.seq, whole_.last + 1)) {
    findings_.add(could_not_verify("the stream's end", {head.stream, end.seq},
                                   numbers(head.version, end.version)));
    return;
  }
  Finding finding = state_mismatch("", numbers(head.version, end.version));
  finding.verdict = "truncated_tail";
  finding.what = "after number " + std::to_string(end.version);
  finding.stream = head.stream;
  finding.seq = end.seq;
  findings_.add(std::move(finding));
}

void ChainsCheck::check_unseen(const StreamHead& head) {
  const auto page = reader_.stream_page(head.stream, {.after = 0, .limit = 1});
  const bool created_since = page && !page->records.empty() &&
                             page->records.front().header.seq > whole_.last &&
                             page->records.front().header.stream_seq == 1U;
  if (created_since) return;
  const auto anchor = facts_.anchor(head.stream);
  if (anchor == head) return;
  const auto expected = numbers(head.version, 0);
  if (!page || excused(whole_.first - 1, whole_.last + 1)) {
    findings_.add(could_not_verify("the whole stream", {head.stream, 0}, expected));
    return;
  }
  Finding finding = state_mismatch("no event of the stream is left", expected);
  finding.verdict = "missing_stream";
  finding.stream = head.stream;
  findings_.add(std::move(finding));
}

void ChainsCheck::check_headless(const std::string& stream, const ChainEnd& end) {
  const auto head = reader_.stream(stream);
  if (head && *head) return;
  Finding finding = head ? state_mismatch("no stream head", numbers(end.version, 0))
                         : could_not_verify("stream head", {}, {"", head.error().detail});
  finding.stream = stream;
  finding.seq = end.seq;
  findings_.add(std::move(finding));
}

}  // namespace annals::log
