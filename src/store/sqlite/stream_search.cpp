#include "store/sqlite/stream_search.hpp"

#include <algorithm>
#include <utility>

#include "store/sqlite/codec.hpp"
#include "store/sqlite/statements.hpp"

namespace annals::store::sqlite {
namespace {

bool within(const StreamReadOptions& options, std::uint64_t number) {
  return options.order == Order::forward ? number > options.after : number < options.before;
}

/// The first position that is not before `seq`.
std::size_t first_from(index::RunMatches& matches, std::uint64_t seq) {
  std::size_t low = 0;
  std::size_t high = matches.size();
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    if (matches.at(middle) < seq) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

StreamSearch::StreamSearch(Statements& statements, const index::RunList& runs, const Uuid& log_id,
                           std::string_view stream, const LogState& state)
    : statements_(statements),
      runs_(runs),
      log_id_(log_id),
      stream_(stream),
      state_(state),
      key_(index::stream_key(stream)) {}

Result<std::vector<Record>> StreamSearch::records(const StreamReadOptions& options) {
  const auto done = options.order == Order::forward ? forward(options) : backward(options);
  if (!done && records_.empty()) return std::unexpected(done.error());
  return std::move(records_);
}

Result<void> StreamSearch::forward(const StreamReadOptions& options) {
  auto next = state_.oldest;
  while (next <= state_.event_seq && records_.size() < options.limit) {
    const auto part = index::stretch_from(runs_, next, state_.event_seq);
    if (auto done = take_part(part, options); !done) return done;
    next = part.last + 1;
  }
  return {};
}

Result<void> StreamSearch::backward(const StreamReadOptions& options) {
  auto last = state_.event_seq;
  while (last >= state_.oldest && records_.size() < options.limit) {
    const auto part = index::stretch_to(runs_, state_.oldest, last);
    if (auto done = take_part(part, options); !done) return done;
    last = part.first - 1;
  }
  return {};
}

Result<void> StreamSearch::take_part(const index::Stretch& part, const StreamReadOptions& options) {
  if (part.run == nullptr) return take_rows(part, options);
  auto matches = index::RunMatches::find(*part.run, {&key_, 1});
  // A damaged file covers nothing; the next look at the folder leaves it out.
  if (!matches) return take_rows(part, options);
  if (!*matches) return {};
  return options.order == Order::forward ? take_ascending(**matches, part, options)
                                         : take_descending(**matches, part, options);
}

Result<void> StreamSearch::take_rows(const index::Stretch& part, const StreamReadOptions& options) {
  const bool forward = options.order == Order::forward;
  auto query = statements_.query(forward ? select_stream_forward : select_stream_backward);
  if (!query) return std::unexpected(query.error());
  query->bind(1, stream_).bind(2, bounded(forward ? options.after : options.before));
  query->bind(3, part.first).bind(4, part.last);
  query->bind(5, static_cast<std::uint64_t>(options.limit - records_.size()));
  for (;;) {
    const auto row = query->step();
    if (!row) return std::unexpected(row.error());
    if (!*row) return {};
    auto record = read_record(*query, log_id_);
    if (!record) return std::unexpected(record.error());
    records_.push_back(std::move(*record));
  }
}

Result<void> StreamSearch::take_ascending(index::RunMatches& matches, const index::Stretch& part,
                                          const StreamReadOptions& options) {
  for (auto position = first_above(matches, part, options.after);
       position < matches.size() && records_.size() < options.limit; ++position) {
    const auto seq = matches.at(position);
    if (seq > part.last) break;
    const auto taken = take(seq, options);
    if (!taken && !may_pass(matches, position, options)) return std::unexpected(taken.error());
  }
  return {};
}

Result<void> StreamSearch::take_descending(index::RunMatches& matches, const index::Stretch& part,
                                           const StreamReadOptions& options) {
  for (auto position = first_above(matches, part, std::max<std::uint64_t>(options.before, 1) - 1);
       position > 0 && records_.size() < options.limit; --position) {
    const auto seq = matches.at(position - 1);
    if (seq < part.first) break;
    const auto taken = take(seq, options);
    if (!taken && !may_pass(matches, position - 1, options)) return std::unexpected(taken.error());
  }
  return {};
}

std::optional<std::uint64_t> StreamSearch::number_at(index::RunMatches& matches,
                                                     std::size_t position) {
  auto query = statements_.query(select_stream_seq);
  if (!query) return std::nullopt;
  query->bind(1, matches.at(position)).bind(2, stream_);
  const auto row = query->step();
  if (!row || !*row) return std::nullopt;
  return static_cast<std::uint64_t>(query->integer(0));
}

std::size_t StreamSearch::first_above(index::RunMatches& matches, const index::Stretch& part,
                                      std::uint64_t number) {
  auto low = first_from(matches, part.first);
  auto high = first_from(matches, part.last + 1);
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    auto known = middle;
    auto found = number_at(matches, known);
    while (!found && ++known < high)
      found = number_at(matches, known);
    if (!found || *found > number) {
      high = middle;
    } else {
      low = known + 1;
    }
  }
  return low;
}

std::optional<std::uint64_t> StreamSearch::number_near(index::RunMatches& matches,
                                                       std::size_t position) {
  for (auto after = position + 1; after < matches.size(); ++after) {
    const auto number = number_at(matches, after);
    if (number && *number > after - position) return *number - (after - position);
  }
  for (auto before = position; before > 0; --before) {
    if (const auto number = number_at(matches, before - 1)) {
      return *number + (position - (before - 1));
    }
  }
  return std::nullopt;
}

bool StreamSearch::may_pass(index::RunMatches& matches, std::size_t position,
                            const StreamReadOptions& options) {
  if (!records_.empty()) return false;
  const auto number = number_near(matches, position);
  return number && !within(options, *number);
}

Result<void> StreamSearch::take(std::uint64_t seq, const StreamReadOptions& options) {
  auto query = statements_.query(select_by_seq);
  if (!query) return std::unexpected(query.error());
  query->bind(1, seq);
  const auto row = query->step();
  if (!row) return std::unexpected(row.error());
  if (!*row) return {};
  auto record = read_record(*query, log_id_);
  if (!record) return std::unexpected(record.error());
  if (record->header.stream == stream_ && within(options, *record->header.stream_seq)) {
    records_.push_back(std::move(*record));
  }
  return {};
}

}  // namespace annals::store::sqlite
