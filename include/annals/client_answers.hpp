#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "annals/append.hpp"
#include "annals/digest.hpp"
#include "annals/envelope.hpp"
#include "annals/record.hpp"
#include "annals/uuid.hpp"

namespace annals {

/// A page of the log, of the events that match and that the key may see.
struct EnvelopePage {
  std::vector<Envelope> events;  ///< In the order asked for.
  std::uint64_t next_after = 0;  ///< The last number looked at: the next page begins after it.
  std::optional<std::uint64_t> next_before;  ///< Backward: the next page ends before it, if any.
  std::uint64_t head = 0;                    ///< Highest seq committed at that moment.
  std::uint64_t oldest = 1;                  ///< Lowest seq retained at that moment.
  Uuid log_id;                               ///< Whose numbers these are.
  bool caught_up = false;                    ///< Nothing lies after `next_after`.
};

/// A page of one stream by its own numbers, of the events that the key may see.
struct StreamEnvelopes {
  std::vector<Envelope> events;              ///< In the order asked for.
  std::uint64_t version = 0;                 ///< How many events the stream has had.
  std::uint64_t next_after = 0;              ///< The last `stream.seq` looked at.
  std::optional<std::uint64_t> next_before;  ///< Backward: the next page ends before it, if any.
};

/// A part of the list of streams.
struct StreamList {
  std::vector<StreamHead> streams;        ///< By the bytes of their names.
  std::optional<std::string> next_after;  ///< Where the list goes on; absent at its end.
};

/// What a server says of itself and its log.
struct ServerInfo {
  Uuid log_id;                           ///< Fixed when the log was made.
  std::uint64_t incarnation = 1;         ///< Raised by a restore.
  std::uint64_t head = 0;                ///< Highest seq committed.
  Digest log_hash{};                     ///< The running hash after it: with it, a receipt.
  std::uint64_t oldest = 1;              ///< Lowest seq retained.
  std::uint64_t permission_version = 0;  ///< Raised by every change of access.
  bool frozen = false;                   ///< Appends are refused for a while.
  bool open_mode = false;                ///< No key exists yet: everything is allowed.
  std::string store;                     ///< Kind of the store.
  std::string durability;                ///< `full`, `unsafe` or `none`.
  std::string version;                   ///< Of the server's program.
  std::uint64_t request_max_bytes = 0;   ///< Largest request.
  std::uint64_t request_max_events = 0;  ///< Most events of a request.
  std::uint64_t page_max_events = 0;     ///< Most events of a page.
};

/// The answer to a document of one event or an array.
struct DocumentResult {
  AppendResult result;  ///< The places of its events.
  bool array = false;   ///< It was an array.
};

}  // namespace annals
