#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "annals/record.hpp"

namespace annals::log {

/// A hash or value that is not what the record promises. Plain value.
struct Mismatch {
  std::string expected;  ///< What the record or its header says.
  std::string actual;    ///< What its bytes give.

  friend bool operator==(const Mismatch&, const Mismatch&) = default;
};

/// What is wrong with one record looked at alone.
struct RecordFault {
  std::optional<Mismatch> header;   ///< The row hash is not that of previous hash and header.
  std::optional<Mismatch> payload;  ///< The payload's salted digest is not the header's.
  std::optional<Mismatch> meta;     ///< The same of meta, or meta is not canonical, or its audience
                                    ///< contradicts the header's `private`.
  /// The header as rendered, so that another previous hash can be tried; only with `header`.
  std::string header_bytes;
};

/// Checks records by themselves: header bytes rendered from the fields, parts hashed with their
/// salt. An absent part is not judged; whether it may be absent is a question to the whole log.
/// Used on one thread; cheap to construct.
class RecordChecker {
 public:
  /// With `derives_digests` as the reader says, parts are not hashed again: their digests in the
  /// header come from the parts, and a changed part shows as a changed header.
  explicit RecordChecker(bool derives_digests) noexcept : derives_digests_(derives_digests) {}

  /// Null when everything present is right.
  [[nodiscard]] std::unique_ptr<RecordFault> check(const Record& record);

 private:
  bool derives_digests_;
  std::string buffer_;  ///< Previous hash and header, reused.
};

/// True when the payload was erased.
[[nodiscard]] bool payload_erased(const Record& record) noexcept;

/// True when meta was erased (an empty meta was never there).
[[nodiscard]] bool meta_erased(const Record& record) noexcept;

/// The last event of a stream that was seen: what the next one must continue.
struct ChainEnd {
  std::uint64_t version = 0;
  Digest hash{};
  std::optional<Digest> prev_hash;  ///< Of the last event itself; tells a fork.
  std::uint64_t seq = 0;            ///< 0: an anchor, not an event.
};

/// Where a record stands in its stream.
struct Link {
  std::optional<std::uint64_t> stream_seq;
  std::optional<Digest> prev_hash;
};

/// How a record continues its stream.
enum class LinkVerdict : std::uint8_t {
  ok,            ///< The next number, linked to the last hash.
  wrong_number,  ///< Not the next number: events are missing, or it stands in the wrong place.
  wrong_hash,    ///< The next number, linked to something else.
  forked,        ///< A second event with the last number and the same parent.
};

/// Compares a link with the end of its stream; `end` is null at the beginning of the stream, where
/// number 1 without a previous hash is expected.
[[nodiscard]] LinkVerdict check_link(const ChainEnd* end, const Link& link) noexcept;

/// Where an unchained record stands: nowhere. `wrong_hash` or `wrong_number` when it claims more.
[[nodiscard]] LinkVerdict check_unchained(const Link& link) noexcept;

}  // namespace annals::log
