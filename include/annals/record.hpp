#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "annals/digest.hpp"
#include "annals/event.hpp"
#include "annals/result.hpp"
#include "annals/time.hpp"
#include "annals/uuid.hpp"

namespace annals {

/// Highest number an event, a stream version or any other counter can have (2^53 - 1).
inline constexpr std::uint64_t max_seq = (std::uint64_t{1} << 53) - 1;

/// The part of a record that stays for ever: everything needed to place, route and authorise it.
/// Its canonical bytes are what the chain hashes.
struct Header {
  Uuid log_id;                              ///< The log it belongs to.
  std::uint64_t seq = 0;                    ///< Its number in the log, from 1.
  Uuid id;                                  ///< Unique in the log.
  std::string type;                         ///< As appended.
  std::uint32_t schema_version = 1;         ///< As appended.
  std::optional<std::string> source;        ///< As appended.
  Timestamp occurred_at;                    ///< The producer's time, or `recorded_at`.
  Timestamp recorded_at;                    ///< The server's time; never runs backwards with seq.
  std::optional<std::string> stream;        ///< Name of its chain; absent = unchained.
  std::optional<std::uint64_t> stream_seq;  ///< Set exactly when `stream` is set; dense from 1.
  Scope scope;                              ///< As appended.
  Resource resource;                        ///< `kind` is always set.
  std::string receive_action;               ///< The right a receiver needs.
  std::uint64_t permission_version = 0;     ///< State of access rights at the commit.
  Uuid key_id;                              ///< The writer.
  bool is_private = false;                  ///< Member `private`: the event has an audience.
  bool truncated = false;                   ///< As appended.
  Digest payload_digest{};                  ///< Salted digest of the payload.
  std::optional<Digest> meta_digest;        ///< Absent when meta is empty.

  friend bool operator==(const Header&, const Header&) = default;
};

/// The erasable part that says who and in which context.
struct Meta {
  std::optional<Actor> actor;                ///< Who caused it.
  std::optional<std::string> audience;       ///< The principal it is for.
  Labels labels;                             ///< As appended.
  std::optional<std::string> client_msg_id;  ///< The producer's own reference.
  std::optional<Uuid> correlation_id;        ///< As appended, or the trace's id.
  std::optional<Uuid> causation_id;          ///< The event that led to this one.
  std::optional<std::string> trace_context;  ///< The traceparent, only when it was sampled.

  /// True when no member is set: such a meta part is not stored.
  [[nodiscard]] bool empty() const noexcept { return *this == Meta{}; }

  friend bool operator==(const Meta&, const Meta&) = default;
};

/// Exact bytes of an erasable part with the salt of its digest.
struct Part {
  std::string bytes;  ///< Exactly as hashed.
  Salt salt{};        ///< In front of the bytes in the digest.

  friend bool operator==(const Part&, const Part&) = default;
};

/// An event as it is stored and hashed. Plain value; immutable but for erasure, which removes a
/// part with its salt and sets `redacted_at`.
struct Record {
  Header header;                    ///< What stays for ever.
  std::optional<Digest> prev_hash;  ///< Absent for the first event of a stream and when unchained.
  Digest row_hash{};                ///< BLAKE3 over `prev_hash` and the header bytes.
  std::optional<Part> payload;      ///< Absent only when erased.
  std::optional<Part> meta;  ///< Absent when empty or erased; `header.meta_digest` tells which.
  std::optional<Timestamp> redacted_at;  ///< When a part was erased.

  /// True when a part was erased.
  [[nodiscard]] bool redacted() const noexcept { return redacted_at.has_value(); }

  friend bool operator==(const Record&, const Record&) = default;
};

/// The payload as readers see it: the exact bytes, or `{}` when erased. Valid as long as `record`.
[[nodiscard]] std::string_view payload_of(const Record& record) noexcept;

/// The parsed meta part; an empty one when it is absent. Fails with `store_corrupt` when the bytes
/// are not the canonical form of a Meta.
[[nodiscard]] Result<Meta> meta_of(const Record& record);

/// 40 bytes that prove everything up to `head`: kept elsewhere, they expose any rewrite before it.
struct Receipt {
  std::uint64_t head = 0;  ///< The request's own last seq.
  Digest log_hash{};       ///< The running hash after it.

  friend bool operator==(const Receipt&, const Receipt&) = default;
};

/// The last event of a stream: how many it has had and the hash the next one links to.
struct StreamHead {
  std::string stream;         ///< Name.
  std::uint64_t version = 0;  ///< How many events it has had.
  Digest hash{};              ///< `row_hash` of its last event.

  friend bool operator==(const StreamHead&, const StreamHead&) = default;
};

}  // namespace annals
