#include "store/sqlite/filter_search.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/canonical.hpp"
#include "core/filter.hpp"
#include "store/index/run_matches.hpp"
#include "store/sqlite/codec.hpp"
#include "store/sqlite/statements.hpp"

namespace annals::store::sqlite {
namespace {

/// When more than one in so many events is a candidate, reading all rows is cheaper than reading
/// them one by one.
constexpr std::uint64_t dense = 4;

/// The text of a meta without `outer` braces at each end.
std::string inner_text(const Meta& meta, std::size_t outer_begin, std::size_t outer_end) {
  const auto bytes = core::meta_bytes(meta);
  return bytes.substr(outer_begin, bytes.size() - outer_begin - outer_end);
}

void bind_text(Query& query, int index, const std::optional<std::string>& text) {
  if (text) {
    query.bind(index, std::string_view(*text));
  } else {
    query.bind_null(index);
  }
}

void bind_text(Query& query, int index, const std::string& text) {
  if (text.empty()) {
    query.bind_null(index);
  } else {
    query.bind(index, std::string_view(text));
  }
}

/// The part of a type that a match begins with.
std::string_view type_prefix(std::string_view pattern) {
  return pattern.ends_with(".*") ? pattern.substr(0, pattern.size() - 1) : pattern;
}

}  // namespace

FilterSearch::FilterSearch(Statements& statements, const index::RunList& runs, const Uuid& log_id,
                           const ReadOptions& options, const LogState& state)
    : statements_(statements),
      runs_(runs),
      log_id_(log_id),
      options_(options),
      state_(state),
      forward_(options.order == Order::forward),
      keys_(index::keys_of(options.filter)) {
  page_.head = state.event_seq;
  page_.oldest = state.oldest;
  page_.scanned = forward_ ? options.after : options.before;
  // Canonical bytes say a thing in one way only, so the text of a member is in every match.
  const auto& filter = options.filter;
  Meta meta;
  if (filter.actor) {
    meta.actor = core::parse_actor(*filter.actor);
    if (meta.actor) actor_text_ = inner_text(meta, 1, 1);
  }
  if (filter.correlation_id) {
    meta = {};
    meta.correlation_id = filter.correlation_id;
    correlation_text_ = inner_text(meta, 1, 1);
  }
  if (!filter.labels.empty()) {
    meta = {};
    meta.labels.insert(*filter.labels.begin());
    constexpr std::string_view before = R"({"labels":{)";
    label_text_ = inner_text(meta, before.size(), 2);
  }
}

Result<Page> FilterSearch::page() {
  return forward_ ? forward() : backward();
}

Result<Page> FilterSearch::forward() {
  const auto begin = std::max(std::min(options_.after, max_seq) + 1, state_.oldest);
  const auto range = within_times({begin, state_.event_seq});
  if (!range) return std::unexpected(range.error());
  auto next = range->first;
  while (next <= range->last && !full()) {
    if (auto looked = look(index::stretch_from(runs_, next, range->last)); !looked) {
      if (page_.scanned == options_.after) return std::unexpected(looked.error());
      return std::move(page_);
    }
    next = page_.scanned + 1;
  }
  // Nothing that follows can match.
  if (next > range->last && !full()) page_.scanned = std::max(page_.scanned, state_.event_seq);
  page_.caught_up = page_.scanned >= state_.event_seq;
  return std::move(page_);
}

Result<Page> FilterSearch::backward() {
  const auto end = std::min(std::max<std::uint64_t>(options_.before, 1) - 1, state_.event_seq);
  const auto range = within_times({state_.oldest, end});
  if (!range) return std::unexpected(range.error());
  auto last = range->last;
  while (last >= range->first && !full()) {
    if (auto looked = look(index::stretch_to(runs_, range->first, last)); !looked) {
      if (page_.scanned == options_.before) return std::unexpected(looked.error());
      return std::move(page_);
    }
    last = page_.scanned - 1;
  }
  if (last < range->first && !full()) page_.scanned = std::min(page_.scanned, state_.oldest);
  return std::move(page_);
}

Result<FilterSearch::Range> FilterSearch::within_times(Range range) {
  const auto& filter = options_.filter;
  if (filter.since && range.first <= range.last) {
    const auto first = first_at(range, *filter.since);
    if (!first) return std::unexpected(first.error());
    range.first = *first;
  }
  if (filter.until && range.first <= range.last) {
    const auto behind = first_at(range, *filter.until);
    if (!behind) return std::unexpected(behind.error());
    range.last = *behind - 1;
  }
  return range;
}

Result<std::uint64_t> FilterSearch::first_at(Range range, Timestamp time) {
  // `recorded_at` never runs backwards with seq.
  auto low = range.first;
  auto high = range.last + 1;
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    auto query = statements_.query(select_time);
    if (!query) return std::unexpected(query.error());
    query->bind(1, middle).bind(2, high - 1);
    const auto row = query->step();
    if (!row) return std::unexpected(row.error());
    if (!*row || query->integer(1) >= time.time_since_epoch().count()) {
      high = middle;
    } else {
      low = static_cast<std::uint64_t>(query->integer(0)) + 1;
    }
  }
  return low;
}

Result<void> FilterSearch::look(const index::Stretch& part) {
  const Range range{part.first, part.last};
  if (part.run != nullptr && !keys_.empty()) {
    const auto done = look_by_index(*part.run, range);
    if (!done) return std::unexpected(done.error());
    if (*done) return {};
  }
  return look_at_rows(range);
}

Result<bool> FilterSearch::look_by_index(const index::Run& run, Range part) {
  auto matches = index::RunMatches::find(run, keys_);
  // A damaged file covers nothing; the next look at the folder leaves it out.
  if (!matches) return false;
  if (*matches) {
    if ((*matches)->size() * dense > run.info().span()) return false;
    auto seq = forward_ ? (*matches)->at_or_after(part.first) : (*matches)->at_or_before(part.last);
    while (seq && *seq >= part.first && *seq <= part.last) {
      auto query = statements_.query(select_by_seq);
      if (!query) return std::unexpected(query.error());
      query->bind(1, *seq);
      const auto row = query->step();
      if (!row) return std::unexpected(row.error());
      if (*row) {
        if (auto taken = take(*query); !taken) return std::unexpected(taken.error());
      }
      page_.scanned = *seq;
      ++looked_at_;
      if (full()) return true;
      if (forward_ ? *seq == part.last : *seq == part.first) break;
      seq = forward_ ? (*matches)->at_or_after(*seq + 1) : (*matches)->at_or_before(*seq - 1);
    }
  }
  page_.scanned = forward_ ? part.last : part.first;
  return true;
}

Result<void> FilterSearch::look_at_rows(Range part) {
  // Numbers without an event count as looked at: it bounds the work all the same.
  const std::uint64_t left = options_.max_scan - looked_at_;
  if (part.last - part.first >= left) {
    (forward_ ? part.last : part.first) = forward_ ? part.first + left - 1 : part.last - (left - 1);
  }
  auto query = statements_.query(forward_ ? select_matching_forward : select_matching_backward);
  if (!query) return std::unexpected(query.error());
  query->bind(1, part.first).bind(2, part.last);
  bind_filter(*query);
  for (;;) {
    const auto row = query->step();
    if (!row) return std::unexpected(row.error());
    if (!*row) break;
    const auto seq = static_cast<std::uint64_t>(query->integer(0));
    if (auto taken = take(*query); !taken) return taken;
    page_.scanned = seq;
    if (page_.records.size() == options_.limit) return {};
  }
  looked_at_ += part.last - part.first + 1;
  page_.scanned = forward_ ? part.last : part.first;
  return {};
}

Result<void> FilterSearch::take(Query& row) {
  auto record = read_record(row, log_id_);
  if (!record) return std::unexpected(record.error());
  if (core::matches(options_.filter, *record)) page_.records.push_back(std::move(*record));
  return {};
}

bool FilterSearch::full() const noexcept {
  return page_.records.size() >= options_.limit || looked_at_ >= options_.max_scan;
}

void FilterSearch::bind_filter(Query& query) const {
  const auto& filter = options_.filter;
  if (filter.type) {
    query.bind(3, type_prefix(*filter.type));
  } else {
    query.bind_null(3);
  }
  bind_text(query, 4, filter.source);
  bind_text(query, 5, filter.stream);
  bind_text(query, 6, filter.space);
  bind_text(query, 7, filter.channel);
  bind_text(query, 8, filter.thread);
  bind_text(query, 9, filter.resource_kind);
  bind_text(query, 10, filter.resource_id);
  bind_text(query, 11, actor_text_);
  bind_text(query, 12, correlation_text_);
  bind_text(query, 13, label_text_);
}

}  // namespace annals::store::sqlite
