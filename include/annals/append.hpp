#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "annals/digest.hpp"
#include "annals/record.hpp"
#include "annals/uuid.hpp"

namespace annals {

/// What a caller expects of a stream before its request is applied.
struct ExpectedVersion {
  /// What is expected.
  enum class Kind : std::uint8_t {
    any,      ///< No expectation.
    none,     ///< The stream has no events.
    exists,   ///< The stream has at least one event.
    exactly,  ///< The stream has had exactly `version` events.
  };
  Kind kind = Kind::any;      ///< What is expected.
  std::uint64_t version = 0;  ///< Only for `exactly`.

  friend bool operator==(const ExpectedVersion&, const ExpectedVersion&) = default;
};

/// What happens to an `enqueue` that finds the queue full.
enum class Overflow : std::uint8_t {
  wait,  ///< Block the caller up to `append.queue_timeout`, then fail with `busy`.
  drop,  ///< Drop the request, count it; one `log.dropped` event is appended when pressure is over.
};

/// When a request is answered.
enum class Ack : std::uint8_t {
  durable,  ///< When it is durable, with its places.
  queued,   ///< As soon as it is queued, with ids only. Requests with a critical type are answered
            ///< when durable all the same.
};

/// How a request is appended. Plain value.
struct AppendOptions {
  Ack ack = Ack::durable;  ///< `queued` allows neither expected versions nor an idempotency key.

  /// Expectation per stream name, about the version before this request. All hold, or nothing of
  /// the request is stored.
  std::map<std::string, ExpectedVersion, std::less<>> expected_versions;

  /// Repeats with the same key and the same request get the first answer. 1 to 200 bytes.
  std::optional<std::string> idempotency_key;

  /// W3C `traceparent` of the request: gives `correlation_id` to events without one, and
  /// `trace_context` when its sampled flag is set. A malformed one counts as absent.
  std::optional<std::string> traceparent;

  /// The same for single events, by their index in the request; an event without one has that of
  /// the request. For a log in this process only.
  std::vector<std::optional<std::string>> traceparents;

  Overflow overflow = Overflow::wait;  ///< What a full queue does to a queued request.
};

/// Something about an accepted event that its producer should look at.
struct Warning {
  std::string pointer;  ///< RFC 6901 pointer of the member inside the event.
  std::string rule;     ///< Stable short name: `personal_data`.
  std::string message;  ///< For people.

  friend bool operator==(const Warning&, const Warning&) = default;
};

/// Where one event of a request stands.
struct AppendedEvent {
  std::uint64_t seq = 0;                    ///< Its number in the log.
  Uuid id;                                  ///< Given or made.
  std::optional<std::uint64_t> stream_seq;  ///< Its number in its stream, if it has one.
  Digest hash{};                            ///< `row_hash`.
  bool duplicate = false;  ///< Known before: this is the place it got the first time.
  bool redacted = false;   ///< A duplicate whose content has been erased since.
  std::optional<std::string> client_msg_id;  ///< Echoed.
  std::vector<Warning> warnings;  ///< A header member that looks like personal data stays for ever.

  friend bool operator==(const AppendedEvent&, const AppendedEvent&) = default;
};

/// The answer to a request, events in the request's order. Durable unless it says otherwise.
struct AppendResult {
  std::vector<AppendedEvent> events;  ///< One per event of the request.
  Receipt receipt;                    ///< The highest seq among `events` and the log hash after it.
  bool duplicate = false;             ///< Every event was known before; nothing was written.
  bool durable = true;                ///< False for `Ack::queued`: events have ids, no places yet.

  friend bool operator==(const AppendResult&, const AppendResult&) = default;
};

}  // namespace annals
