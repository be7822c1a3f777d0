#include "log/tail_contiguity.hpp"

#include <algorithm>

namespace annals::log {

namespace {

/// The first number at or after `seq` that is neither expired nor in a gap.
std::uint64_t skip_explained(std::uint64_t seq, std::uint64_t oldest, std::span<const Gap> gaps) {
  seq = std::max(seq, oldest);
  for (const auto& gap : gaps) {
    if (gap.from <= seq && seq <= gap.to) seq = gap.to + 1;
  }
  return seq;
}

}  // namespace

Contiguity check_contiguity(std::uint64_t head, const Page& page, std::span<const Gap> gaps) {
  Contiguity result{.end = head};
  // Moves to `next`, over a hole if there is one; false when it is not explained.
  const auto step_to = [&](std::uint64_t next) {
    const std::uint64_t expected = result.end + 1;
    if (next == expected) return true;
    const std::uint64_t explained = skip_explained(expected, page.oldest, gaps);
    if (next < expected || explained < next) {
      result.missing = std::min(next, explained);
      return false;
    }
    ++result.holes;
    result.numbers += next - expected;
    return true;
  };
  for (const auto& record : page.records) {
    if (!step_to(record.header.seq)) return result;
    result.end = record.header.seq;
  }
  if (page.records.empty() && result.end < page.head && step_to(page.head + 1)) {
    result.end = page.head;
  }
  return result;
}

}  // namespace annals::log
