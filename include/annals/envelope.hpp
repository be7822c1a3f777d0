#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "annals/digest.hpp"
#include "annals/event.hpp"
#include "annals/time.hpp"
#include "annals/uuid.hpp"

namespace annals {

/// Where an event stands in its stream.
struct StreamPlace {
  std::string name;                 ///< Of the stream.
  std::uint64_t seq = 0;            ///< Its number there, dense from 1.
  std::optional<Digest> prev_hash;  ///< Absent for the first event of a stream.
  Digest hash{};                    ///< `row_hash`.

  friend bool operator==(const StreamPlace&, const StreamPlace&) = default;
};

/// An event as a server shows it to readers. Plain value.
struct Envelope {
  std::uint64_t seq = 0;                     ///< Its number in the log, from 1.
  Uuid id;                                   ///< Unique in the log.
  std::string type;                          ///< As appended.
  std::uint32_t schema_version = 1;          ///< As appended.
  Timestamp occurred_at;                     ///< The producer's time, or `recorded_at`.
  Timestamp recorded_at;                     ///< The server's time; never runs backwards with seq.
  std::uint64_t permission_version = 0;      ///< State of access rights at the commit.
  std::optional<std::string> source;         ///< As appended.
  std::optional<StreamPlace> stream;         ///< Absent = unchained.
  Scope scope;                               ///< As appended.
  Resource resource;                         ///< `kind` is always set.
  std::optional<Actor> actor;                ///< Who caused it.
  Labels labels;                             ///< As appended.
  std::optional<std::string> client_msg_id;  ///< The producer's own reference.
  std::optional<Uuid> correlation_id;        ///< As appended, or the trace's id.
  std::optional<Uuid> causation_id;          ///< The event that led to this one.
  std::optional<std::string> trace_context;  ///< Only for readers that may see it.
  bool is_private = false;                   ///< It has an audience, and the reader is it.
  bool truncated = false;                    ///< As appended.
  bool redacted = false;                     ///< A part of it was erased.
  std::string payload = "{}";                ///< The exact bytes; `{}` when they were erased.

  /// The whole of it as received, one line of JSON, members unknown to this version included.
  std::string json;

  friend bool operator==(const Envelope&, const Envelope&) = default;
};

}  // namespace annals
