#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "annals/event_log.hpp"
#include "core/visibility.hpp"
#include "server/cors.hpp"
#include "server/message.hpp"
#include "server/tickets.hpp"
#include "wire/envelope.hpp"

namespace annals::server {

class JwtVerifier;

/// What a reader may see. Plain value.
struct Viewer {
  bool all = false;     ///< Every event; else what `reader` sees.
  core::Reader reader;  ///< Its grants, key and principal.
  /// The subject of a token that has no key yet: `own` matches nothing until it has.
  std::optional<std::string> keyless;

  /// True when the event is visible. What its erased parts would have said does not matter: an
  /// erased audience is nobody.
  [[nodiscard]] bool sees(const Record& record) const { return all || core::sees(reader, record); }

  /// The same, for an event of which the header and the audience are known.
  [[nodiscard]] bool sees(const Header& header,
                          const std::optional<std::string>& audience) const noexcept {
    return all || core::sees(reader, header, audience);
  }

  /// How events are shown to it: an agent, whose principal is `agent/<id>`, sees traces as well.
  [[nodiscard]] wire::Rendering rendering() const noexcept {
    const bool agent = reader.principal && reader.principal->starts_with("agent/");
    return all || agent ? wire::Rendering::privileged : wire::Rendering::reader;
  }
};

/// What somebody may read, and until when: all that a stream needs of its caller. Plain value.
struct ReadRights {
  bool open_mode = false;  ///< No key exists: everything may be done.
  Uuid key_id;             ///< Nil in open mode, and until a subject appends.
  ReadGrants read;         ///< Empty: may not read.
  std::optional<Timestamp> expires_at;
  std::optional<std::string> principal;  ///< Whom the key stands for.
  std::optional<IpAddress> peer;         ///< Where it is.
  /// Whose token it is. Then the rights are the token's: they end with it, or when the subject's
  /// key is revoked, and do not change.
  std::optional<std::string> subject;

  /// Who sees everything has no grants there: nothing is looked up in them.
  [[nodiscard]] Viewer viewer() const;
};

/// Who makes a request. Plain value.
struct Caller : ReadRights {
  std::optional<WriteCapability> capability;  ///< Absent: may not append.
  AllowedTypes append;  ///< Of a token: what its subject may append once it has a key.
  Uuid party;           ///< Whom limits count: a key, or a subject, whether it has one or not.

  [[nodiscard]] bool may_append() const noexcept { return capability || !append.empty(); }
};

/// The keys as they are now: what long-lived requests are checked against. Immutable.
struct AccessState {
  bool open_mode = false;
  std::uint64_t permission_version = 0;  ///< Of the log, when the keys were read or before.
  std::unordered_map<Uuid, Key> keys;
  std::unordered_map<std::string, Uuid> subjects;  ///< The keys of subjects, by their names.

  /// Adds a key; of several with one name, the last one added is a subject's.
  void add(Key key);

  /// The key behind the rights; null in open mode, for a subject without one, and for a key that is
  /// newer than this state.
  [[nodiscard]] const Key* key_of(const ReadRights& rights) const;

  /// True when what was allowed still holds: the key is active, stands for the same principal, may
  /// be used from the same place and has every grant it had; or the token has not ended, and its
  /// subject's key is not revoked; or there still is no key.
  [[nodiscard]] bool holds(const ReadRights& rights, Timestamp now) const;

  /// The same, and the key may append every type that it might.
  [[nodiscard]] bool holds(const Caller& caller, Timestamp now) const;

  /// True when the key reads neither less nor more than it did.
  [[nodiscard]] bool reads_the_same(const ReadRights& rights) const;

  /// When the rights end by themselves, as the key is now, or with the token.
  [[nodiscard]] std::optional<Timestamp> expires_at(const ReadRights& rights) const;

  /// True when the key is known to be revoked. The log itself may learn of another process's change
  /// a moment later than the tail: who was told `revoked` is never let in again.
  [[nodiscard]] bool revoked(const ReadRights& rights) const;
};

/// Authenticates requests and follows the keys of the log. Thread-safe.
class Access {
 public:
  /// All must outlive it. No I/O; everything is refused until `refresh`.
  Access(EventLog& log, const Cors& cors, Tickets& tickets)
      : log_(log),
        cors_(cors),
        tickets_(tickets) {}

  /// Takes tokens as well, checked by `tokens`, which must outlive this. There is no open mode
  /// then. Before `refresh`.
  void accept(const JwtVerifier& tokens) { tokens_ = &tokens; }

  /// Reads the keys from the log. Blocks on the store. On an error the state stays as it was.
  Result<void> refresh();

  [[nodiscard]] std::shared_ptr<const AccessState> state() const;

  /// Who sends this request: the key or the token in `X-API-Key` or `Authorization: Bearer`, what
  /// the ticket in the query stands for, which is used up by that, or anybody in open mode.
  /// `not_authenticated` when it is missing, unknown, expired or revoked, two keys differ, a ticket
  /// does not hold, or the request does not come from the key's address ranges; `not_allowed` in
  /// open mode for a `Host` that is no loopback name, since a page of another site could have been
  /// resolved to this machine, and for pages that are not trusted: there is no key that they would
  /// have to know.
  [[nodiscard]] Result<Caller> authenticate(const Request& request);

  /// Gives the subject of a token the key that it appends under, which is made when there is none:
  /// sets `key_id` and `capability`. Blocks on the store. `not_authenticated` when the key was
  /// revoked; errors of `EventLog::admit_subject`.
  [[nodiscard]] Result<void> admit(Caller& caller);

  /// Looks whether the viewer's subject has a key by now, and gives it to the viewer. True when it
  /// has: what was read before may lack the subject's own events. A subject's first event comes
  /// after its key, so that after false nothing is missing. Blocks on the store.
  [[nodiscard]] Result<bool> learn_key(Viewer& viewer) const;

 private:
  /// Who has this credential; absent: the one in the head.
  [[nodiscard]] Result<Caller> identify(const Request& request,
                                        const std::optional<std::string>& credential);
  [[nodiscard]] Result<Caller> identify_subject(const Request& request,
                                                std::string_view token) const;
  [[nodiscard]] Result<bool> open_mode();
  [[nodiscard]] Result<Caller> open_caller(const Request& request) const;

  EventLog& log_;
  const Cors& cors_;
  Tickets& tickets_;
  const JwtVerifier* tokens_ = nullptr;  ///< Null: tokens are not taken.
  mutable std::mutex mutex_;
  std::shared_ptr<const AccessState> state_ = std::make_shared<AccessState>();  // under mutex_
};

/// The key in the head of a request; empty when there is none. `not_authenticated` when two differ,
/// or for another authorization scheme.
[[nodiscard]] Result<std::string_view> presented_key(const Request& request);

/// True for `localhost`, addresses of 127.0.0.0/8 and `::1`, with or without brackets and port.
[[nodiscard]] bool is_loopback_host(std::string_view host);

}  // namespace annals::server
