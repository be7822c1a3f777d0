#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "annals/record.hpp"
#include "core/placement.hpp"
#include "log/chain_check.hpp"
#include "log/ports/store.hpp"

namespace annals::log {

/// Numbers from `first` to `last`, both included. Plain value.
struct SeqRange {
  std::uint64_t first = 1;
  std::uint64_t last = 0;

  [[nodiscard]] bool empty() const noexcept { return last < first; }
};

/// Which streams one pass over the log verifies, chosen by the hash of their names, so that a log
/// with more streams than fit in memory is verified in several passes. Unchained events belong to
/// residue 0. Plain value.
struct Partition {
  std::uint64_t modulus = 1;
  std::uint64_t residue = 0;

  [[nodiscard]] bool contains(std::string_view stream) const noexcept;
  [[nodiscard]] bool contains_unchained() const noexcept { return residue == 0; }
};

/// The digests of the parts that a record no longer has.
struct ErasedParts {
  std::optional<Digest> payload;
  std::optional<Digest> meta;
};

/// A record that was checked by itself, reduced to what the checks over the whole log need.
struct CheckedRow {
  std::uint64_t seq = 0;
  bool mine = false;  ///< Belongs to the partition: the fault is known.
  bool chained = false;
  std::string stream;
  Link link;
  Digest row_hash{};
  Timestamp recorded_at;
  std::uint64_t permission_version = 0;
  std::optional<Timestamp> redacted_at;
  std::unique_ptr<ErasedParts> erased;  ///< Null when nothing is.
  std::unique_ptr<RecordFault> fault;   ///< Null when everything present is right.
};

/// Numbers that could not be read, and why.
struct UnreadableRange {
  SeqRange range;
  std::string reason;
};

/// Checks a record by itself and keeps what else is needed of it. `mine` is set.
[[nodiscard]] CheckedRow check_row(RecordChecker& checker, const Record& record,
                                   const Uuid& log_id);

/// What a range of the log holds.
struct CheckedRange {
  SeqRange range;
  std::vector<CheckedRow> rows;             ///< Ascending.
  std::vector<UnreadableRange> unreadable;  ///< Ascending.
  std::optional<core::HashMark> mark;       ///< Of `range.last`, when there is one.
  std::optional<Error> mark_error;          ///< The mark could not be read.
  std::vector<std::uint64_t> lost_ids;      ///< Events that are not found by their id.
  std::optional<Error> lost_ids_error;      ///< That could not be found out.
  std::uint64_t next_seq =
      0;  ///< The first row after the range, or max_seq + 1 for none; 0: unknown.
  std::uint64_t oldest = 0;  ///< As the store said while it was read.

  /// Nothing of the range could be read.
  [[nodiscard]] bool lost() const noexcept { return rows.empty() && !unreadable.empty(); }
};

/// What a pass wants to know of every range.
struct RangeSettings {
  Uuid log_id;
  Partition partition;
  bool every_row = true;  ///< Rows of other partitions are kept too, unchecked; marks are read and
                          ///< ids looked up.
  std::size_t page_bytes = std::size_t{8} << 20U;  ///< Aim for the size of a page in memory.
};

/// Reads ranges and checks each record by itself. Rows that cannot be read are narrowed down and
/// reported, the rest of the range goes on. Used on one thread; several may share a store.
class RangeReader {
 public:
  RangeReader(EventReader& reader, const RangeSettings& settings)
      : reader_(reader),
        settings_(settings),
        checker_(reader.derives_digests()) {}

  [[nodiscard]] CheckedRange read(SeqRange range);

 private:
  [[nodiscard]] std::size_t page_limit() const noexcept;
  void accept(const Page& page, CheckedRange& out);
  void keep(const Record& record, CheckedRange& out);
  void read_mark(CheckedRange& out);
  void look_up_ids(CheckedRange& out);

  EventReader& reader_;
  RangeSettings settings_;
  RecordChecker checker_;
  std::size_t average_bytes_ = std::size_t{64} << 10U;  ///< Of a record; pessimistic at first.
};

}  // namespace annals::log
