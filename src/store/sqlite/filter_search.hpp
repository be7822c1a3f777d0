#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "annals/log_state.hpp"
#include "annals/read.hpp"
#include "annals/result.hpp"
#include "store/index/run_folder.hpp"
#include "store/sqlite/handle.hpp"

namespace annals::store::sqlite {

/// One filtered page, within a read transaction: candidates from the index where a run covers the
/// log, rows one after the other elsewhere. Whatever the index names is compared with its row, and
/// what it does not cover is looked at: a page is complete and exact with any index or none. Used
/// once, on one thread.
class FilterSearch {
 public:
  /// Everything given must outlive this. The filter is not empty.
  FilterSearch(Statements& statements, const index::RunList& runs, const Uuid& log_id,
               const ReadOptions& options, const LogState& state);

  Result<Page> page();

 private:
  /// Numbers that can match: first to last, both included; empty when first > last.
  struct Range {
    std::uint64_t first;
    std::uint64_t last;
  };

  Result<Page> forward();
  Result<Page> backward();

  /// Without events that were recorded outside of the filter's times.
  Result<Range> within_times(Range range);
  /// The first number of the range whose event was recorded at `time` or later.
  Result<std::uint64_t> first_at(Range range, Timestamp time);

  /// Looks at a part of the log that one run covers, or none; moves `page_.scanned`.
  Result<void> look(const index::Stretch& part);
  Result<bool> look_by_index(const index::Run& run, Range part);
  Result<void> look_at_rows(Range part);
  /// Compares one row with the filter and takes it. An error ends the page before it.
  Result<void> take(Query& row);

  [[nodiscard]] bool full() const noexcept;
  void bind_filter(Query& query) const;

  Statements& statements_;
  const index::RunList& runs_;
  const Uuid& log_id_;
  const ReadOptions& options_;
  const LogState& state_;
  const bool forward_;
  const std::vector<index::FacetKey> keys_;
  // What must stand in the meta of a match; empty when nothing must.
  std::string actor_text_;
  std::string correlation_text_;
  std::string label_text_;

  Page page_;
  std::size_t looked_at_ = 0;
};

}  // namespace annals::store::sqlite
