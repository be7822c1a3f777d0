#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "annals/time.hpp"
#include "annals/uuid.hpp"

namespace annals {

/// Who caused an event.
enum class ActorKind : std::uint8_t { user, agent, app, system };

/// `user`, `agent`, `app`, `system`.
[[nodiscard]] std::string_view to_string(ActorKind kind) noexcept;

/// Reads the names that `to_string` writes; anything else gives `nullopt`.
[[nodiscard]] std::optional<ActorKind> parse_actor_kind(std::string_view text) noexcept;

/// user, agent and app need an id; system forbids one.
struct Actor {
  ActorKind kind = ActorKind::system;  ///< Who it is.
  std::optional<std::string> id;       ///< Which one, 1 to 200 bytes.

  friend bool operator==(const Actor&, const Actor&) = default;
};

/// Where it happened. Each member is optional, 1 to 200 bytes.
struct Scope {
  std::optional<std::string> space_id;    ///< Workspace or tenant.
  std::optional<std::string> channel_id;  ///< Channel or topic within it.
  std::optional<std::string> thread_id;   ///< Thread within the channel.

  friend bool operator==(const Scope&, const Scope&) = default;
};

/// What it happened to. A missing kind is filled in from the catalogue (`event` by default).
struct Resource {
  std::optional<std::string> kind;       ///< What kind of thing, e.g. `order`.
  std::optional<std::string> id;         ///< Which one, 1 to 200 bytes.
  std::optional<std::uint64_t> version;  ///< At most 2^53 - 1.

  friend bool operator==(const Resource&, const Resource&) = default;
};

/// Label names to values, ordered by the bytes of the name.
using Labels = std::map<std::string, std::string, std::less<>>;

/// An event as a producer hands it in. Nothing is checked here: every rule is applied when it is
/// appended, and all violations are reported together. Absent members are `nullopt`; an empty text
/// is a violation, not an absence.
struct NewEvent {
  std::optional<Uuid> id;                     ///< Made (UUIDv7) when absent; the idempotency key.
  std::string type;                           ///< E.g. `order.paid`; at most 200 bytes.
  std::uint32_t schema_version = 1;           ///< Version of the payload's form, 1 to 2^31 - 1.
  std::optional<std::string> source;          ///< Where it came from, 1 to 200 bytes.
  std::optional<std::string> stream;          ///< Chain partition; absent = unchained.
  std::optional<Timestamp> occurred_at;       ///< The producer's time; `recorded_at` when absent.
  std::optional<Actor> actor;                 ///< Who caused it.
  Scope scope;                                ///< Where it happened.
  Resource resource;                          ///< What it happened to.
  std::optional<std::string> audience;        ///< The principal it is for: makes it private.
  std::optional<std::string> receive_action;  ///< The right a receiver needs; `read` by default.
  Labels labels;                             ///< At most 16; what filters read without the payload.
  std::optional<Uuid> correlation_id;        ///< The trace's id when absent and there is a trace.
  std::optional<Uuid> causation_id;          ///< The event that led to this one.
  std::string payload = "{}";                ///< JSON object text, kept token for token.
  bool truncated = false;                    ///< The producer sent a reduced payload.
  std::optional<std::string> client_msg_id;  ///< The producer's own reference, unique per key.

  friend bool operator==(const NewEvent&, const NewEvent&) = default;
};

}  // namespace annals
