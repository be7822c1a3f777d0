#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/placement.hpp"
#include "log/ports/store.hpp"

namespace annals::log::test {

/// The contents of a log that a test may change at will, read through the port. It is filled by
/// placing events as every store does; everything after that is the test's doing. Used on one
/// thread while it is changed; reading is safe from any.
class RecordedLog : public EventReader {
 public:
  RecordedLog();

  /// Appends events to these streams in this order; an empty name is an unchained event. Every
  /// event has a payload and, when its number is even, meta with an audience.
  void append(const std::vector<std::string>& streams);

  /// Appends `count` events, alternating between `streams` streams and, when `unchained`, none.
  void fill(std::size_t count, std::size_t streams, bool unchained = true);

  /// Appends an event of the log's own.
  void append_own(const std::string& stream, const std::string& type, std::string payload);

  /// Removes parts of an event as the redaction routine does, without the record.
  void erase(std::uint64_t seq, bool payload, bool meta);

  /// The record that explains erasures: `targets` as in the payload of `log.redacted`.
  void append_redaction(const std::string& targets);

  /// One target of an erased or not yet erased part.
  [[nodiscard]] std::string target(std::uint64_t seq, const std::string& part) const;

  /// Hashes the stream again from this number on, as somebody would who wants to hide a change:
  /// rows and the stream's head, not what lies beyond the stream.
  void rehash_stream(const std::string& stream);

  /// Skips numbers, as a restore does, and records it.
  void skip_numbers(std::uint64_t count);

  [[nodiscard]] Record& at(std::uint64_t seq) { return records.at(seq); }

  LogState state_row;
  std::map<std::uint64_t, Record> records;
  std::map<std::string, StreamHead, std::less<>> heads;
  std::vector<Gap> gap_rows;
  std::map<std::uint64_t, Digest> marks;
  std::set<std::uint64_t> unreadable;  ///< Rows that cannot be read.
  std::set<std::uint64_t> lost;        ///< Rows that are not found by their id.
  /// A page ends before a row that cannot be read, and fails when that is its first; else every
  /// page with one fails. Stores may do either.
  bool short_pages = true;
  bool fail_pages = false;  ///< Reading any page of the log fails.

  Result<LogState> state() override;
  Result<Page> page(const ReadOptions& options) override;
  Result<std::optional<Record>> find(std::uint64_t seq) override;
  Result<std::optional<Record>> find(const Uuid& id) override;
  Result<StreamPage> stream_page(std::string_view stream,
                                 const StreamReadOptions& options) override;
  Result<std::vector<StreamHead>> streams(std::string_view prefix, std::string_view after,
                                          std::size_t limit) override;
  Result<std::optional<StreamHead>> stream(std::string_view name) override;
  Result<std::vector<Gap>> gaps() override;
  Result<std::optional<core::HashMark>> mark_at_or_before(std::uint64_t seq) override;
  Result<std::uint64_t> count() override;
  Result<std::vector<std::uint64_t>> lost_ids(std::uint64_t first, std::uint64_t last) override;
  [[nodiscard]] bool derives_digests() const noexcept override { return false; }

 private:
  void place(const std::vector<core::Draft>& drafts);
  [[nodiscard]] core::Draft draft(const std::string& stream);

  std::uint64_t made_ = 0;
};

}  // namespace annals::log::test
