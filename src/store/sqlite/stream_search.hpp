#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "annals/log_state.hpp"
#include "annals/read.hpp"
#include "annals/result.hpp"
#include "store/index/run_folder.hpp"
#include "store/index/run_matches.hpp"
#include "store/sqlite/handle.hpp"

namespace annals::store::sqlite {

/// The events of one stream by its own numbers, within a read transaction: places from the index
/// where a run covers the log, rows one after the other elsewhere. Within a stream numbers ascend
/// with seq. Used once, on one thread.
class StreamSearch {
 public:
  /// Everything given must outlive this.
  StreamSearch(Statements& statements, const index::RunList& runs, const Uuid& log_id,
               std::string_view stream, const LogState& state);

  /// What `options` ask for. Rows before one that cannot be read are worth having: the error comes
  /// when it is the first.
  Result<std::vector<Record>> records(const StreamReadOptions& options);

 private:
  Result<void> forward(const StreamReadOptions& options);
  Result<void> backward(const StreamReadOptions& options);
  /// Takes what a part of the log has, that one run covers or none.
  Result<void> take_part(const index::Stretch& part, const StreamReadOptions& options);
  Result<void> take_rows(const index::Stretch& part, const StreamReadOptions& options);
  Result<void> take_ascending(index::RunMatches& matches, const index::Stretch& part,
                              const StreamReadOptions& options);
  Result<void> take_descending(index::RunMatches& matches, const index::Stretch& part,
                               const StreamReadOptions& options);

  /// The stream's number of the event at a position, or `nullopt` where it is another stream's,
  /// gone or unreadable.
  std::optional<std::uint64_t> number_at(index::RunMatches& matches, std::size_t position);
  /// The first position within the part whose number is above `number`.
  std::size_t first_above(index::RunMatches& matches, const index::Stretch& part,
                          std::uint64_t number);
  /// What the number of an unreadable event must be, by its neighbours in the run.
  std::optional<std::uint64_t> number_near(index::RunMatches& matches, std::size_t position);
  /// Whether an unreadable event is one that was not asked for: the reader goes on behind it once
  /// it was told.
  bool may_pass(index::RunMatches& matches, std::size_t position, const StreamReadOptions& options);
  /// Takes the event at `seq` if it is the stream's and within the options.
  Result<void> take(std::uint64_t seq, const StreamReadOptions& options);

  Statements& statements_;
  const index::RunList& runs_;
  const Uuid& log_id_;
  const std::string_view stream_;
  const LogState& state_;
  const index::FacetKey key_;
  std::vector<Record> records_;
};

}  // namespace annals::store::sqlite
