#include "log/verify/facts.hpp"

#include <algorithm>
#include <utility>

namespace annals::log {

namespace {

/// Takes `hole` out of every range.
std::vector<SeqRange> without(const std::vector<SeqRange>& ranges, SeqRange hole) {
  std::vector<SeqRange> left;
  for (const auto& range : ranges) {
    if (hole.last < range.first || hole.first > range.last) {
      left.push_back(range);
      continue;
    }
    if (range.first < hole.first) left.push_back({range.first, hole.first - 1});
    if (hole.last < range.last) left.push_back({hole.last + 1, range.last});
  }
  return left;
}

}  // namespace

std::optional<StreamHead> LogFacts::anchor(std::string_view stream) const {
  const auto found = std::ranges::lower_bound(anchors, stream, {}, &StreamHead::stream);
  if (found == anchors.end() || found->stream != stream) return std::nullopt;
  return *found;
}

bool LogFacts::in_gap(std::uint64_t seq) const noexcept {
  const auto after = std::ranges::upper_bound(gaps, seq, {}, &Gap::from);
  return after != gaps.begin() && seq <= std::prev(after)->to;
}

std::uint64_t LogFacts::numbers_in_gaps(SeqRange range) const noexcept {
  std::uint64_t total = 0;
  for (const auto& gap : gaps) {
    const std::uint64_t first = std::max(gap.from, range.first);
    const std::uint64_t last = std::min(gap.to, range.last);
    if (first <= last) total += last - first + 1;
  }
  return total;
}

Result<LogFacts> read_facts(EventReader& reader) {
  LogFacts facts;
  auto state = reader.state();
  if (!state) return std::unexpected(std::move(state.error()));
  facts.state = std::move(*state);
  auto gaps = reader.gaps();
  if (!gaps) return std::unexpected(std::move(gaps.error()));
  facts.gaps = std::move(*gaps);
  std::ranges::sort(facts.gaps, {}, &Gap::from);
  return facts;
}

bool UnreadableNumbers::any_in(SeqRange range) const noexcept {
  const auto found = std::ranges::lower_bound(ranges_, range.first, {}, &SeqRange::last);
  return found != ranges_.end() && found->first <= range.last;
}

std::vector<SeqRange> unexplained(SeqRange range, const LogFacts& facts,
                                  const UnreadableNumbers& unreadable) {
  std::vector<SeqRange> left;
  if (!range.empty()) left.push_back(range);
  for (const auto& gap : facts.gaps)
    left = without(left, {gap.from, gap.to});
  for (const auto& lost : unreadable.ranges())
    left = without(left, lost);
  return left;
}

}  // namespace annals::log
