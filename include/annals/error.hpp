#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "annals/digest.hpp"
#include "annals/uuid.hpp"

namespace annals {

/// What the caller does next. Every code belongs to exactly one kind.
enum class ErrorKind : std::uint8_t {
  invalid,          ///< Correct the request; repeating it as it is fails again. Nothing was stored.
  denied,           ///< Use another key or capability. Nothing was stored.
  not_found,        ///< What was named does not exist (or is not visible to the caller).
  conflict,         ///< Re-read what the details name, decide, then send a new request.
  resync_required,  ///< The position cannot be continued; the details say what is lost.
  too_large,        ///< Send less; the details carry the limit. Nothing was stored.
  busy,             ///< Repeat after `retry_after`. Nothing was stored.
  unavailable,      ///< The store cannot be reached; repeat later with the same ids.
  full,             ///< Free space, then repeat. Nothing was stored.
  corrupt,          ///< Stored data does not verify; stop and run `annals verify`.
  internal,         ///< A defect of the program; report it.
};

/// What it is. The names are the stable `code` of problem documents.
enum class ErrorCode : std::uint8_t {
  invalid_event,           ///< One or more events break a rule; see `InvalidEvent`.
  invalid_request,         ///< The call around the events is malformed (options, catalogue, body).
  invalid_cursor,          ///< Not a number of the cursor grammar.
  invalid_filter,          ///< A filter value is malformed; the detail names the parameter.
  unknown_parameter,       ///< A parameter nobody knows; the detail names it.
  unit_open,               ///< This thread has a unit of work open and would wait for itself.
  not_authenticated,       ///< No key, or one that is unknown, expired or revoked.
  not_allowed,             ///< The capability or grant does not cover it; see `NotAllowed`.
  not_found,               ///< No such event, stream, key, type or route.
  version_conflict,        ///< An expected stream version is not the actual one.
  id_conflict,             ///< The id is known with other content or from another key.
  partly_known,            ///< Some ids of a batch with expectations are known already.
  client_msg_id_conflict,  ///< The key used this client_msg_id with other content.
  blob_kind_conflict,      ///< The same bytes are stored under another content kind.
  idempotency_mismatch,    ///< Another request was made under this Idempotency-Key.
  resync_required,         ///< The cursor is too old, ahead, or of another log or incarnation.
  too_large,               ///< A limit on size or count is exceeded.
  rate_limited,            ///< The caller exceeds its rate.
  busy,                    ///< The append queue is full or the store is locked for too long.
  frozen,                  ///< An operator stopped appends for a while; reads go on.
  too_many_subscribers,    ///< The server has no free subscriber slot.
  store_unavailable,       ///< The store cannot be reached, read or written now.
  commit_unknown,          ///< Stored or not: could not be found out. Repeat with the same ids.
  store_full,              ///< No space left for appends; reads go on.
  store_corrupt,           ///< What was read contradicts itself.
  internal,                ///< A broken invariant.
};

/// The kind a code belongs to.
[[nodiscard]] ErrorKind kind_of(ErrorCode code) noexcept;

/// The stable text of a code, equal to the enumerator's name.
[[nodiscard]] std::string_view to_string(ErrorCode code) noexcept;

/// The stable text of a kind, equal to the enumerator's name.
[[nodiscard]] std::string_view to_string(ErrorKind kind) noexcept;

/// One broken rule of one event. Never carries the offending value.
struct Violation {
  std::size_t index = 0;  ///< Position of the event in its request, from 0.
  std::string pointer;    ///< RFC 6901 pointer of the member inside the event, e.g. `/payload/a/0`.
  std::string rule;       ///< Stable short name of the rule, e.g. `max_bytes`.
  std::string message;    ///< For people: the rule with its limit.

  friend bool operator==(const Violation&, const Violation&) = default;
};

/// Details of `invalid_event`: every violation of the request, in order.
struct InvalidEvent {
  std::vector<Violation> violations;  ///< Every violation of the request.

  friend bool operator==(const InvalidEvent&, const InvalidEvent&) = default;
};

/// Details of `not_allowed` for an append.
struct NotAllowed {
  std::string refused_type;                ///< The first type that the capability does not name.
  std::vector<std::string> allowed_types;  ///< Sorted.

  friend bool operator==(const NotAllowed&, const NotAllowed&) = default;
};

/// The actual version of a stream; `version` 0 with no hash means that it has no events.
struct StreamVersion {
  std::string stream;               ///< Name of the stream.
  std::uint64_t version = 0;        ///< How many events it has had.
  std::optional<Digest> head_hash;  ///< `row_hash` of its last event.

  friend bool operator==(const StreamVersion&, const StreamVersion&) = default;
};

/// Details of `version_conflict`: every conflicting stream of the request.
struct VersionConflict {
  std::vector<StreamVersion> streams;  ///< By the bytes of the names.

  friend bool operator==(const VersionConflict&, const VersionConflict&) = default;
};

/// Details of `id_conflict`, `partly_known` and `client_msg_id_conflict`: the events concerned.
struct KnownEvents {
  /// One event of the request that is known already.
  struct Known {
    std::size_t index = 0;  ///< Position in the request, from 0.
    Uuid id;                ///< As in the request.
    std::uint64_t seq = 0;  ///< 0 when the caller may not learn it (another key's event).

    friend bool operator==(const Known&, const Known&) = default;
  };
  std::vector<Known> events;  ///< In the request's order.

  friend bool operator==(const KnownEvents&, const KnownEvents&) = default;
};

/// Details of `resync_required`.
struct Resync {
  std::string reason;  ///< `expired`, `ahead`, `other_log`, `other_incarnation` or `malformed`.
  std::uint64_t oldest = 0;     ///< Lowest seq still retained.
  std::uint64_t head = 0;       ///< Highest seq committed.
  std::uint64_t lost_from = 0;  ///< 0 when nothing can be named.
  std::uint64_t lost_to = 0;    ///< Last seq that cannot be had; 0 when nothing can be named.

  friend bool operator==(const Resync&, const Resync&) = default;
};

/// Details of `too_large`: the limit that was exceeded, in bytes or events as its name says.
struct LimitExceeded {
  std::string name;         ///< Name of the limit as in `GET /v1/log`, e.g. `payload_max_bytes`.
  std::uint64_t limit = 0;  ///< The most that is allowed.

  friend bool operator==(const LimitExceeded&, const LimitExceeded&) = default;
};

/// A typed failure. Plain value. `detail` is for people and never contains payload, keys or tokens.
struct Error {
  ErrorCode code = ErrorCode::internal;  ///< What it is.
  std::string detail;                    ///< For people; never a payload or a secret.
  std::variant<std::monostate, InvalidEvent, NotAllowed, VersionConflict, KnownEvents, Resync,
               LimitExceeded>
      details;                                           ///< What belongs to the code, if anything.
  std::optional<std::chrono::milliseconds> retry_after;  ///< When a repeat has a chance.

  /// What the caller does next.
  [[nodiscard]] ErrorKind kind() const noexcept { return kind_of(code); }

  friend bool operator==(const Error&, const Error&) = default;
};

}  // namespace annals
