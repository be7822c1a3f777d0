#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "annals/log_state.hpp"
#include "annals/record.hpp"
#include "core/validate.hpp"

namespace annals::core {

/// A valid event with everything but its place: id, writer, salts, digests. Value. `event.payload`
/// is empty: its bytes are in `payload`.
struct Draft {
  Uuid id;
  bool id_given = false;  ///< By the producer: must be looked up before it is placed.
  Uuid key_id;
  ValidEvent event;
  Part payload;
  Digest payload_digest{};
  std::optional<Part> meta;
  std::optional<Digest> meta_digest;
};

/// Makes the parts and digests of a valid event. Pure: id and salts are given.
[[nodiscard]] Draft make_draft(ValidEvent event, Uuid id, Uuid key_id, const Salt& payload_salt,
                               const Salt& meta_salt);

/// A point of the running hash, kept for every `hash_mark_interval`-th seq so that the receipt of
/// any seq can be computed from a short read.
struct HashMark {
  std::uint64_t seq = 0;
  Digest log_hash{};

  friend bool operator==(const HashMark&, const HashMark&) = default;
};

inline constexpr std::uint64_t hash_mark_interval = 1000;

/// Records with the state and the heads after them: what one transaction writes.
struct Placement {
  LogState before;  ///< Compared by the store before it writes.
  LogState after;
  std::vector<Record> records;
  std::vector<StreamHead> heads;  ///< New heads of the touched streams, one each.
  std::vector<HashMark> marks;
};

/// Gives drafts their places one after the other. Pure; used on one thread. The caller holds the
/// state's lock and has put the head of every touched stream in.
class Placer {
 public:
  /// `now` is the server's time; recorded_at never runs backwards from the state's.
  Placer(LogState state, Timestamp now);

  /// Makes a head known; `nullopt` when the stream has none. Needed once before its first event,
  /// and only before it.
  void set_head(const std::string& stream, std::optional<StreamHead> head);

  /// True when the head of `stream` is known here.
  [[nodiscard]] bool knows(const std::string& stream) const;

  /// The current head of a known stream, events placed here included; `nullopt` = no events.
  [[nodiscard]] std::optional<StreamHead> head(const std::string& stream) const;

  /// Places the next event and returns its record (valid until the next call). The head of its
  /// stream must be known, and the log must not have reached `max_seq`.
  const Record& place(const Draft& draft);

  /// The state after what was placed so far.
  [[nodiscard]] const LogState& state() const noexcept { return placement_.after; }

  /// Raises permission_version by one, for the events placed from now on.
  void bump_permission_version() noexcept;

  /// Hands everything over; the object is empty afterwards.
  [[nodiscard]] Placement finish();

 private:
  struct Chain {
    std::optional<StreamHead> head;
    bool touched = false;  ///< An event was placed here.
  };

  void link(Record& record, const std::string& stream);

  Placement placement_;
  Timestamp recorded_at_;
  std::map<std::string, Chain, std::less<>> chains_;
  std::string buffer_;  ///< prev_hash || header, reused.
};

/// What "the same content" means for a repeated event: the writer is the same, and everything the
/// producer sent (the id, when it gave one) equals the stored record; what the log fills in (kind
/// of the resource, receive_action, occurred_at, correlation) matches anything when it was left
/// out. The trace context is the request's, not the event's, and is not compared; neither is an
/// erased part.
[[nodiscard]] bool same_content(const Draft& draft, const Record& stored);

}  // namespace annals::core
