#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "annals/time.hpp"
#include "log/ports/store.hpp"
#include "log/verify/findings.hpp"
#include "log/verify/range.hpp"
#include "log/verify/records.hpp"

namespace annals::log {

/// Finds the record in the log for every erased part. A record comes after its target, so what is
/// erased is collected first; the stream of records is read, with its chain verified, when the list
/// is full and at the end. An erasure is authorised when a `log.redacted` record names its seq,
/// part and digest, and when `redacted_at` is the `recorded_at` of the first such record. Used on
/// one thread; the references must outlive this.
class ErasureCheck {
 public:
  /// `memory_bytes` bounds the list.
  ErasureCheck(EventReader& reader, Findings& findings, std::size_t memory_bytes);

  /// A row that lacks parts, or is marked as if it did. `clean` when nothing else is wrong with it.
  void add(const CheckedRow& row, bool clean);

  /// Judges what is still in the list.
  void finish();

  /// Rows of which every erasure is authorised and nothing else is wrong.
  [[nodiscard]] std::uint64_t redacted() const noexcept { return redacted_; }

 private:
  struct Erasure {
    std::uint64_t seq = 0;
    std::optional<Digest> payload;  ///< Erased and not yet explained.
    std::optional<Digest> meta;
    std::optional<Timestamp> redacted_at;
    std::optional<Timestamp> recorded_at;  ///< Of the first record that names it.
    bool clean = false;
  };

  void settle();
  std::optional<Error> match_records();
  void match(const Record& record);
  void report(const Erasure& erasure, const std::optional<Error>& error);

  EventReader& reader_;
  Findings& findings_;
  std::size_t limit_;
  std::vector<Erasure> pending_;
  std::uint64_t redacted_ = 0;
};

}  // namespace annals::log
