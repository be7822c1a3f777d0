#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "store/index/run.hpp"

namespace annals::store::index {

/// The events of a run that have all of some keys: candidates, since different members may share a
/// key. Used on one thread; must not outlive the run.
class RunMatches {
 public:
  /// Looks up the keys, at least one. `nullopt`: no event of the run has them all, as far as can be
  /// told without walking. An error means that the run is damaged.
  static Result<std::optional<RunMatches>> find(const Run& run, std::span<const FacetKey> keys);

  /// Most that there can be.
  [[nodiscard]] std::size_t size() const noexcept { return cursors_.front().size(); }

  /// The lowest candidate >= `seq`; `seq` is not below the run's first number.
  std::optional<std::uint64_t> at_or_after(std::uint64_t seq);

  /// The highest candidate <= `seq`; `seq` is not above the run's last number.
  std::optional<std::uint64_t> at_or_before(std::uint64_t seq);

  /// The candidate at a position, 0 to `size() - 1`, of matches of one key.
  std::uint64_t at(std::size_t position) { return from_ + cursors_.front().at(position); }

 private:
  using Step = std::optional<std::uint32_t> (PostingsCursor::*)(std::uint32_t offset);

  /// Every cursor steps on to where the last one stands, until all stand at the same.
  std::optional<std::uint64_t> meet(std::uint64_t seq, Step step);

  explicit RunMatches(std::uint64_t from) noexcept : from_(from) {}

  std::uint64_t from_;
  std::vector<PostingsCursor> cursors_;  ///< The shortest first.
};

}  // namespace annals::store::index
