#include "log/stream_reader.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "log/chain_check.hpp"

namespace annals::log {

namespace {

ChainEnd end_of(const Record& record) {
  return {record.header.stream_seq.value_or(0), record.row_hash, record.prev_hash,
          record.header.seq};
}

/// Judges the records of one page one after the other, in ascending order.
class PageVerifier {
 public:
  PageVerifier(std::string_view stream, std::optional<ChainEnd> end, bool from_anchor,
               bool derives_digests)
      : stream_(stream),
        end_(end),
        from_anchor_(from_anchor),
        checker_(derives_digests) {}

  /// The break at this record, if there is one. Its successor is judged against it either way.
  std::optional<ChainBreak> judge(const Record& record) {
    auto broken = own_break(record);
    if (!broken) broken = link_break(record);
    end_ = end_of(record);
    from_anchor_ = false;
    return broken;
  }

 private:
  std::optional<ChainBreak> own_break(const Record& record) {
    const auto fault = checker_.check(record);
    if (!fault) return std::nullopt;
    const Mismatch& mismatch = fault->header    ? *fault->header
                               : fault->payload ? *fault->payload
                                                : *fault->meta;
    return named(record, "hash_mismatch", mismatch.expected, mismatch.actual);
  }

  std::optional<ChainBreak> link_break(const Record& record) const {
    if (from_anchor_ && record.prev_hash && record.header.stream_seq > 1U) return std::nullopt;
    const Link link{record.header.stream_seq, record.prev_hash};
    switch (check_link(end_ ? &*end_ : nullptr, link)) {
      case LinkVerdict::ok:
        return std::nullopt;
      case LinkVerdict::wrong_number:
        return named(record, "gap", "", "");
      case LinkVerdict::wrong_hash:
      case LinkVerdict::forked:
        break;
    }
    return named(record, "hash_mismatch", end_ ? to_hex(end_->hash) : std::string{},
                 record.prev_hash ? to_hex(*record.prev_hash) : std::string{});
  }

  [[nodiscard]] ChainBreak named(const Record& record, std::string reason, std::string expected,
                                 std::string actual) const {
    return {std::string(stream_), record.header.stream_seq.value_or(0),
            record.header.seq,    std::move(reason),
            std::move(expected),  std::move(actual)};
  }

  std::string_view stream_;
  std::optional<ChainEnd> end_;
  bool from_anchor_;
  RecordChecker checker_;
};

/// The record before the lowest one of a page, or what explains that there is none.
struct Before {
  std::optional<ChainEnd> end;
  bool from_anchor = false;
};

Result<Before> find_before(EventReader& reader, std::string_view stream, std::uint64_t lowest,
                           bool expired) {
  if (lowest <= 1) return Before{std::nullopt, expired};
  auto page = reader.stream_page(stream, {.after = lowest - 2, .limit = 1});
  if (!page) return std::unexpected(std::move(page.error()));
  if (!page->records.empty() && page->records.front().header.stream_seq == lowest - 1) {
    return Before{end_of(page->records.front()), false};
  }
  return Before{std::nullopt, expired};
}

ChainBreak missing(std::string_view stream, std::uint64_t stream_seq, const Record* neighbour) {
  return {std::string(stream),
          stream_seq,
          neighbour != nullptr ? neighbour->header.seq : 0,
          "gap",
          "",
          ""};
}

/// What is missing after a forward page that ends before its limit and before the stream's end. A
/// store may end a page before a record that it cannot read: then nothing is said here, and the
/// next page is the store's error.
std::optional<ChainBreak> missing_after(EventReader& reader, std::string_view stream,
                                        const StreamPage& page, const StreamReadOptions& options) {
  if (page.records.size() >= options.limit) return std::nullopt;
  const Record* last = page.records.empty() ? nullptr : &page.records.back();
  const std::uint64_t reached =
      last != nullptr ? last->header.stream_seq.value_or(0) : options.after;
  if (reached >= page.version) return std::nullopt;
  if (last != nullptr) {
    const auto next = reader.stream_page(stream, {.after = reached, .limit = 1});
    if (!next || !next->records.empty()) return std::nullopt;
  }
  return missing(stream, reached + 1, last);
}

/// What is missing before a backward page that does not begin where it was asked to.
std::optional<ChainBreak> missing_before(std::string_view stream, const StreamPage& page,
                                         const StreamReadOptions& options) {
  const std::uint64_t highest = std::min(page.version, options.before - 1);
  const Record* first = page.records.empty() ? nullptr : &page.records.front();
  if (highest == 0 || (first != nullptr && first->header.stream_seq.value_or(0) >= highest)) {
    return std::nullopt;
  }
  return missing(stream, highest, first);
}

/// The break of the newest event when the stream's head says another hash.
std::optional<ChainBreak> head_break(const StreamHead& head, const Record& record) {
  if (record.header.stream_seq != head.version || record.row_hash == head.hash) return std::nullopt;
  return ChainBreak{head.stream,     head.version,      record.header.seq,
                    "hash_mismatch", to_hex(head.hash), to_hex(record.row_hash)};
}

/// Judges the records of a page that has some; gives a break or nothing for each, in its order.
Result<std::vector<std::optional<ChainBreak>>> judge_page(EventReader& reader,
                                                          std::string_view stream,
                                                          const StreamReadOptions& options,
                                                          std::vector<Record>& records,
                                                          bool expired) {
  const bool forward = options.order == Order::forward;
  if (!forward) std::ranges::reverse(records);
  const std::uint64_t lowest =
      forward ? options.after + 1 : records.front().header.stream_seq.value_or(1);
  const auto before = find_before(reader, stream, lowest, expired);
  if (!before) return std::unexpected(before.error());
  const auto head = reader.stream(stream);
  if (!head) return std::unexpected(head.error());

  PageVerifier verifier(stream, before->end, before->from_anchor, reader.derives_digests());
  std::vector<std::optional<ChainBreak>> breaks;
  breaks.reserve(records.size());
  for (const auto& record : records)
    breaks.push_back(verifier.judge(record));
  if (*head && !breaks.back()) breaks.back() = head_break(**head, records.back());
  if (!forward) {
    std::ranges::reverse(records);
    std::ranges::reverse(breaks);
  }
  return breaks;
}

}  // namespace

Result<StreamPage> read_stream(EventReader& reader, std::string_view stream,
                               const StreamReadOptions& options) {
  auto page = reader.stream_page(stream, options);
  if (!page || !options.verify || page->version == 0) return page;
  const auto state = reader.state();
  if (!state) return std::unexpected(state.error());
  const bool expired = state->oldest > 1;
  auto& records = page->records;
  if (records.empty() && expired) return page;
  if (options.order == Order::backward) {
    if (auto broken = missing_before(stream, *page, options)) {
      records.clear();
      page->breaks.push_back(std::move(*broken));
    }
    if (records.empty()) return page;
  }
  auto tail = options.order == Order::forward ? missing_after(reader, stream, *page, options)
                                              : std::nullopt;
  if (!records.empty()) {
    auto breaks = judge_page(reader, stream, options, records, expired);
    if (!breaks) return std::unexpected(std::move(breaks.error()));
    const auto first = std::ranges::find_if(*breaks, &std::optional<ChainBreak>::has_value);
    if (first != breaks->end()) {
      records.resize(static_cast<std::size_t>(first - breaks->begin()));
      tail = std::move(*first);
    }
  }
  if (tail) page->breaks.push_back(std::move(*tail));
  return page;
}

}  // namespace annals::log
