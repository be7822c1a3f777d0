#include "store/sqlite/reader.hpp"

#include <algorithm>
#include <utility>

#include "store/sqlite/admin_tables.hpp"
#include "store/sqlite/codec.hpp"
#include "store/sqlite/error.hpp"
#include "store/sqlite/filter_search.hpp"
#include "store/sqlite/log_tables.hpp"
#include "store/sqlite/run_check.hpp"
#include "store/sqlite/statements.hpp"
#include "store/sqlite/stream_search.hpp"

namespace annals::store::sqlite {
namespace {

constexpr std::size_t max_page = 1000;

Result<void> check_limit(std::size_t limit) {
  if (limit >= 1 && limit <= max_page) return {};
  return fail(ErrorCode::invalid_request, "a page has 1 to 1000 entries");
}

/// One record, or none.
Result<std::optional<Record>> take_one(Query& query, const Uuid& log_id) {
  const auto row = query.step();
  if (!row) return std::unexpected(row.error());
  if (!*row) return std::nullopt;
  auto record = read_record(query, log_id);
  if (!record) return std::unexpected(record.error());
  return std::move(*record);
}

}  // namespace

Result<LogState> Reader::state() {
  return pool_.read([](Statements& statements) { return load_state(statements); });
}

Result<Page> Reader::page(const ReadOptions& options) {
  if (auto fits = check_limit(options.limit); !fits) return std::unexpected(fits.error());
  if (options.max_scan == 0) return fail(ErrorCode::invalid_request, "max_scan is at least 1");
  return pool_.read([&](Statements& statements) -> Result<Page> {
    const auto state = load_state(statements);
    if (!state) return std::unexpected(state.error());
    if (!options.filter.empty()) {
      const auto known = runs(statements, *state);
      return FilterSearch(statements, *known, log_id_, options, *state).page();
    }
    return options.order == Order::forward ? forward_page(statements, options, *state)
                                           : backward_page(statements, options, *state);
  });
}

Result<Page> Reader::forward_page(Statements& statements, const ReadOptions& options,
                                  const LogState& state) const {
  auto query = statements.query(select_forward);
  if (!query) return std::unexpected(query.error());
  query->bind(1, bounded(std::max(options.after, state.oldest - 1))).bind(2, state.event_seq);
  Page page{{}, state.event_seq, state.oldest, false, options.after};
  if (auto ended = scan(*query, options, page); !ended) return std::unexpected(ended.error());
  page.caught_up = page.scanned >= state.event_seq;
  return page;
}

Result<Page> Reader::backward_page(Statements& statements, const ReadOptions& options,
                                   const LogState& state) const {
  auto query = statements.query(select_backward);
  if (!query) return std::unexpected(query.error());
  query->bind(1, std::min(bounded(options.before), state.event_seq + 1)).bind(2, state.oldest);
  Page page{{}, state.event_seq, state.oldest, false, options.before};
  const auto ended = scan(*query, options, page);
  if (!ended) return std::unexpected(ended.error());
  if (*ended == ScanEnd::rows) page.scanned = std::min(page.scanned, state.oldest);
  return page;
}

Result<Reader::ScanEnd> Reader::scan(Query& query, const ReadOptions& options, Page& page) const {
  const auto most = std::min(options.limit, options.max_scan);
  query.bind(3, static_cast<std::uint64_t>(most));
  page.records.reserve(most);
  for (;;) {
    const auto row = query.step();
    if (row && !*row) return page.records.size() < most ? ScanEnd::rows : ScanEnd::page;
    auto record = row ? read_record(query, log_id_) : std::unexpected(row.error());
    if (!record) {
      // What comes before an unreadable row is worth having: the error comes when it is the first.
      if (page.records.empty()) return std::unexpected(record.error());
      return ScanEnd::page;
    }
    page.scanned = record->header.seq;
    page.records.push_back(std::move(*record));
  }
}

std::shared_ptr<const index::RunList> Reader::runs(Statements& statements, const LogState& state) {
  return index_.runs([&](const index::RunInfo& info) { return fits(statements, state, info); });
}

Result<std::optional<Record>> Reader::find(std::uint64_t seq) {
  return pool_.read([&](Statements& statements) -> Result<std::optional<Record>> {
    auto query = statements.query(select_by_seq);
    if (!query) return std::unexpected(query.error());
    query->bind(1, bounded(seq));
    return take_one(*query, log_id_);
  });
}

Result<std::optional<Record>> Reader::find(const Uuid& id) {
  return pool_.read([&](Statements& statements) -> Result<std::optional<Record>> {
    auto query = statements.query(select_by_id);
    if (!query) return std::unexpected(query.error());
    query->bind(1, id.bytes);
    return take_one(*query, log_id_);
  });
}

Result<StreamPage> Reader::stream_page(std::string_view stream, const StreamReadOptions& options) {
  if (auto fits = check_limit(options.limit); !fits) return std::unexpected(fits.error());
  return pool_.read([&](Statements& statements) -> Result<StreamPage> {
    const auto state = load_state(statements);
    if (!state) return std::unexpected(state.error());
    const std::string name(stream);
    auto heads = find_heads(statements, std::span(&name, 1));
    if (!heads) return std::unexpected(heads.error());
    StreamPage page;
    if (!heads->front()) return page;
    page.version = heads->front()->version;
    const auto known = runs(statements, *state);
    auto records = StreamSearch(statements, *known, log_id_, stream, *state).records(options);
    if (!records) return std::unexpected(records.error());
    page.records = std::move(*records);
    return page;
  });
}

Result<std::vector<StreamHead>> Reader::streams(std::string_view prefix, std::string_view after,
                                                std::size_t limit) {
  if (auto fits = check_limit(limit); !fits) return std::unexpected(fits.error());
  return pool_.read([&](Statements& statements) -> Result<std::vector<StreamHead>> {
    const bool past_prefix = after >= prefix;
    auto query = statements.query(past_prefix ? select_heads_after : select_heads_from);
    if (!query) return std::unexpected(query.error());
    query->bind(1, past_prefix ? after : prefix);
    std::vector<StreamHead> heads;
    while (heads.size() < limit) {
      const auto row = query->step();
      if (!row) return std::unexpected(row.error());
      if (!*row) break;
      auto head = read_head(*query);
      if (!head) return std::unexpected(head.error());
      // Names are in the order of their bytes: those with the prefix are neighbours.
      if (!head->stream.starts_with(prefix)) break;
      heads.push_back(std::move(*head));
    }
    return heads;
  });
}

Result<std::optional<StreamHead>> Reader::stream(std::string_view name) {
  return pool_.read([&](Statements& statements) -> Result<std::optional<StreamHead>> {
    const std::string stream(name);
    auto heads = find_heads(statements, std::span(&stream, 1));
    if (!heads) return std::unexpected(heads.error());
    return std::move(heads->front());
  });
}

Result<std::vector<Gap>> Reader::gaps() {
  return pool_.read([](Statements& statements) -> Result<std::vector<Gap>> {
    auto query = statements.query(select_gaps);
    if (!query) return std::unexpected(query.error());
    std::vector<Gap> gaps;
    for (;;) {
      const auto row = query->step();
      if (!row) return std::unexpected(row.error());
      if (!*row) return gaps;
      RowReader reader(*query);
      Gap gap;
      gap.from = reader.counter();
      gap.to = reader.counter();
      gap.record_seq = reader.counter();
      if (!reader.ok()) return std::unexpected(corrupt("a gap's row is unreadable"));
      gaps.push_back(gap);
    }
  });
}

Result<std::optional<core::HashMark>> Reader::mark_at_or_before(std::uint64_t seq) {
  return pool_.read([&](Statements& statements) -> Result<std::optional<core::HashMark>> {
    auto query = statements.query(select_mark);
    if (!query) return std::unexpected(query.error());
    query->bind(1, bounded(seq));
    const auto row = query->step();
    if (!row) return std::unexpected(row.error());
    if (!*row) return std::nullopt;
    RowReader reader(*query);
    core::HashMark mark;
    mark.seq = reader.counter();
    mark.log_hash = reader.digest();
    if (!reader.ok()) return std::unexpected(corrupt("a hash mark's row is unreadable"));
    return mark;
  });
}

Result<std::uint64_t> Reader::count() {
  return pool_.read([](Statements& statements) -> Result<std::uint64_t> {
    auto query = statements.query(count_events);
    if (!query) return std::unexpected(query.error());
    const auto row = query->step();
    if (!row) return std::unexpected(row.error());
    return static_cast<std::uint64_t>(query->integer(0));
  });
}

Result<std::vector<std::uint64_t>> Reader::lost_ids(std::uint64_t first, std::uint64_t last) {
  return pool_.read([&](Statements& statements) -> Result<std::vector<std::uint64_t>> {
    auto query = statements.query(select_lost_ids);
    if (!query) return std::unexpected(query.error());
    query->bind(1, bounded(first)).bind(2, bounded(last));
    std::vector<std::uint64_t> lost;
    for (;;) {
      const auto row = query->step();
      if (!row) return std::unexpected(row.error());
      if (!*row) return lost;
      lost.push_back(static_cast<std::uint64_t>(query->integer(0)));
    }
  });
}

Result<std::vector<log::StoredKey>> Reader::keys() {
  return pool_.read([](Statements& statements) { return load_keys(statements); });
}

Result<std::optional<log::StoredKey>> Reader::key(const Uuid& key_id) {
  return pool_.read([&](Statements& statements) { return load_key(statements, key_id); });
}

Result<log::StoredCatalogue> Reader::catalogue() {
  return pool_.read([](Statements& statements) { return load_catalogue(statements); });
}

}  // namespace annals::store::sqlite
