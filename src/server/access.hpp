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

/// What a reader may see. Plain value.
struct Viewer {
  bool all = false;     ///< Every event; else what `reader` sees.
  core::Reader reader;  ///< Its grants, key and principal.

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

/// Who makes a request. Plain value.
struct Caller {
  bool open_mode = false;                     ///< No key exists: the caller may do everything.
  Uuid key_id;                                ///< Nil in open mode.
  ReadGrants read;                            ///< Empty: may not read.
  std::optional<WriteCapability> capability;  ///< Absent: may not append.
  std::optional<Timestamp> expires_at;
  std::optional<std::string> principal;  ///< Whom the key stands for.
  std::optional<IpAddress> peer;         ///< Where it is.

  [[nodiscard]] Viewer viewer() const { return {reads_all(read), {read, key_id, principal}}; }
};

/// The keys as they are now: what long-lived requests are checked against. Immutable.
struct AccessState {
  bool open_mode = false;
  std::uint64_t permission_version = 0;  ///< Of the log, when the keys were read or before.
  std::unordered_map<Uuid, Key> keys;

  /// True when what `caller` was allowed still holds: its key is active, stands for the same
  /// principal, may be used from the same place, has every grant and may append every type it had;
  /// or there still is no key.
  [[nodiscard]] bool holds(const Caller& caller, Timestamp now) const;

  /// True when the key reads neither less nor more than it did.
  [[nodiscard]] bool reads_the_same(const Caller& caller) const;

  /// When what `caller` has ends by itself, as its key is now.
  [[nodiscard]] std::optional<Timestamp> expires_at(const Caller& caller) const;

  /// True when the key is known to be revoked. The log itself may learn of another process's
  /// change a moment later than the tail: who was told `revoked` is never let in again.
  [[nodiscard]] bool revoked(const Uuid& key_id) const;
};

/// Authenticates requests and follows the keys of the log. Thread-safe.
class Access {
 public:
  /// All must outlive it. No I/O; everything is refused until `refresh`.
  Access(EventLog& log, const Cors& cors, Tickets& tickets)
      : log_(log),
        cors_(cors),
        tickets_(tickets) {}

  /// Reads the keys from the log. Blocks on the store. On an error the state stays as it was.
  Result<void> refresh();

  [[nodiscard]] std::shared_ptr<const AccessState> state() const;

  /// Who sends this request: the key in `X-API-Key` or `Authorization: Bearer`, what the ticket in
  /// the query stands for, which is used up by that, or anybody in open
  /// mode. `not_authenticated` when it is missing, unknown, expired or revoked, two keys differ, a
  /// ticket does not hold, or the request does not come from the key's address ranges;
  /// `not_allowed` in open mode for a `Host` that is no loopback name, since a page of another site
  /// could have been resolved to this machine, and for pages that are not trusted: there is no key
  /// that they would have to know.
  [[nodiscard]] Result<Caller> authenticate(const Request& request);

 private:
  /// Who has this credential; absent: the one in the head.
  [[nodiscard]] Result<Caller> identify(const Request& request,
                                        const std::optional<std::string>& credential);
  [[nodiscard]] Result<bool> open_mode();
  [[nodiscard]] Result<Caller> open_caller(const Request& request) const;

  EventLog& log_;
  const Cors& cors_;
  Tickets& tickets_;
  mutable std::mutex mutex_;
  std::shared_ptr<const AccessState> state_ = std::make_shared<AccessState>();  // under mutex_
};

/// The key in the head of a request; empty when there is none. `not_authenticated` when two differ,
/// or for another authorization scheme.
[[nodiscard]] Result<std::string_view> presented_key(const Request& request);

/// True for `localhost`, addresses of 127.0.0.0/8 and `::1`, with or without brackets and port.
[[nodiscard]] bool is_loopback_host(std::string_view host);

}  // namespace annals::server
