#include "store/index/run_matches.hpp"

#include <algorithm>
#include <utility>

namespace annals::store::index {

Result<std::optional<RunMatches>> RunMatches::find(const Run& run, std::span<const FacetKey> keys) {
  RunMatches matches(run.info().from);
  for (const auto key : keys) {
    auto postings = run.find(key);
    if (!postings) return std::unexpected(postings.error());
    if (!*postings) return std::nullopt;
    matches.cursors_.emplace_back(*std::move(*postings));
  }
  std::ranges::sort(matches.cursors_, {}, &PostingsCursor::size);
  return matches;
}

std::optional<std::uint64_t> RunMatches::at_or_after(std::uint64_t seq) {
  return meet(seq, &PostingsCursor::at_or_after);
}

std::optional<std::uint64_t> RunMatches::at_or_before(std::uint64_t seq) {
  return meet(seq, &PostingsCursor::at_or_before);
}

std::optional<std::uint64_t> RunMatches::meet(std::uint64_t seq, Step step) {
  auto offset = static_cast<std::uint32_t>(seq - from_);
  for (std::size_t agreeing = 0, i = 0; agreeing < cursors_.size(); i = (i + 1) % cursors_.size()) {
    const auto next = (cursors_[i].*step)(offset);
    if (!next) return std::nullopt;
    agreeing = *next == offset ? agreeing + 1 : 1;
    offset = *next;
  }
  return from_ + offset;
}

}  // namespace annals::store::index
