#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "annals/append.hpp"
#include "annals/capability.hpp"
#include "annals/event.hpp"
#include "annals/key.hpp"
#include "annals/log_state.hpp"
#include "annals/options.hpp"
#include "annals/read.hpp"
#include "annals/record.hpp"
#include "annals/result.hpp"
#include "annals/unit_of_work.hpp"
#include "annals/verify.hpp"

struct sqlite3;

namespace annals {

namespace log {
class Store;
class Clock;
class CommitObserver;
class Ids;
}  // namespace log

namespace core {
class Catalogue;
class EventRules;
}  // namespace core

/// Who was authenticated.
struct Identity {
  Key key;                                    ///< The key presented, or that of the subject.
  std::optional<WriteCapability> capability;  ///< Absent when nothing may be appended.
};

/// The log of an application: append, read, verify. Thread-safe; one instance per process and
/// store is enough. The constructor does no I/O; `open` does. The destructor drains like `stop`.
class EventLog {
 public:
  /// Takes the outcome of an `append_async`.
  using Completion = std::function<void(Result<AppendResult>)>;

  /// Takes the store; clock and ids are for tests and default to the system's. No I/O.
  EventLog(std::unique_ptr<log::Store> store, LogOptions options,
           std::shared_ptr<log::Clock> clock = nullptr, std::shared_ptr<log::Ids> ids = nullptr);
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;
  ~EventLog();

  /// Opens or creates the store and starts the committer. Call once, before anything else.
  Result<void> open();

  /// Like `open`, but `not_found` when there is no log yet.
  Result<void> open_existing();

  /// Commits what is queued, answers everybody, closes the store. Later calls fail with
  /// `store_unavailable`. Idempotent. An error means that events only queued could not be written
  /// and are lost.
  Result<void> stop();

  /// The right of the embedding program to append everything a producer may. Needs `open`.
  [[nodiscard]] WriteCapability local_admin() const;

  // --- Appending

  /// Appends events as one request, all or nothing, and answers when they are durable. Blocks.
  /// Errors: `not_allowed`, `invalid_event`, `too_large`, `unit_open`, conflicts, `busy`, `frozen`,
  /// `store_*`; nothing was stored after any of them. After `commit_unknown` repeat the same ids.
  Result<AppendResult> append(const WriteCapability& capability, std::vector<NewEvent> events,
                              AppendOptions options = {});
  /// The same for one event.
  Result<AppendResult> append(const WriteCapability& capability, NewEvent event,
                              AppendOptions options = {});

  /// Like `append`, without blocking: `done` is called exactly once, on the committer's thread or,
  /// for errors found at once and for `Ack::queued`, on the caller's. It must return quickly and
  /// not call back. A request that finds the queue full waits up to `append.queue_timeout`, then
  /// `busy`.
  void append_async(const WriteCapability& capability, std::vector<NewEvent> events,
                    AppendOptions options, Completion done);

  /// Queues events without waiting for durability and returns their ids; they are committed with
  /// the next group, in order. No expected versions and no idempotency key. Blocks or drops when
  /// the queue is full, as `options.overflow` says (critical types are never dropped, and answered
  /// when durable). While the store fails, queued events stay queued and are tried again.
  Result<std::vector<Uuid>> enqueue(const WriteCapability& capability, std::vector<NewEvent> events,
                                    AppendOptions options = {});

  /// Waits until everything queued before the call is durable, or an attempt to write it failed:
  /// the first failure since the last flush is returned. After `store_*`, `commit_unknown`, `busy`
  /// and `frozen` the events are still queued; after any other error the request it belongs to was
  /// refused.
  Result<void> flush();

  /// Requests dropped by `Overflow::drop` since the start, in events.
  [[nodiscard]] std::uint64_t dropped() const noexcept;

  // --- Units of work

  /// Begins a unit of work with the application's own writes. At most one open unit per thread.
  Result<UnitOfWork> begin(const WriteCapability& capability);

  /// Appends as the last step before the application's own COMMIT, on its connection to the same
  /// SQLite file with a transaction open. Refused with `invalid_request` when no transaction is
  /// open or other files are attached. After an error the application must roll back.
  Result<AppendResult> append_in(sqlite3* connection, const WriteCapability& capability,
                                 std::vector<NewEvent> events, AppendOptions options = {});

  /// Registers a hook for `rights_check`, `sync` or `audit`; before `open` only. Hooks of a phase
  /// run in the order of registration.
  void add_hook(UnitPhase phase, std::string name, UnitHook hook);

  /// One line per registered hook, `phase name`, in the order in which they run; the log's own
  /// sync step included.
  [[nodiscard]] std::vector<std::string> hooks() const;

  // --- Reading

  /// Counters and hash of the durable head.
  [[nodiscard]] Result<LogState> state() const;
  /// A page of the log, of the events that match. `resync_required` when a forward `after` other
  /// than 0 cannot be continued; `invalid_request` for a bad limit.
  [[nodiscard]] Result<Page> read(const ReadOptions& options) const;
  /// One event by its number; `not_found`.
  [[nodiscard]] Result<Record> find(std::uint64_t seq) const;
  /// One event by its id; `not_found`.
  [[nodiscard]] Result<Record> find(const Uuid& id) const;
  /// A page of one stream; version 0 and no records when it does not exist.
  [[nodiscard]] Result<StreamPage> read_stream(std::string_view stream,
                                               const StreamReadOptions& options) const;
  /// Streams whose name begins with `prefix`, by the bytes of their names, after `after`.
  [[nodiscard]] Result<std::vector<StreamHead>> streams(std::string_view prefix,
                                                        std::string_view after,
                                                        std::size_t limit) const;
  /// The head of one stream; `not_found`.
  [[nodiscard]] Result<StreamHead> stream(std::string_view name) const;

  /// The receipt of any retained seq, computed from the nearest stored mark.
  [[nodiscard]] Result<Receipt> receipt_at(std::uint64_t seq) const;

  /// Waits until the head is above `seq` or `timeout` passes; returns the head.
  [[nodiscard]] Result<std::uint64_t> wait_after(std::uint64_t seq,
                                                 std::chrono::milliseconds timeout) const;

  /// Proves the log, see `VerifyReport`. Works beside appends, up to the head at its start.
  [[nodiscard]] Result<VerifyReport> verify(const VerifyOptions& options,
                                            const VerifyProgress& progress = {}) const;

  // --- Keys

  /// Creates a key; the event `access.key_created` and the key are one transaction.
  Result<CreatedKey> create_key(const WriteCapability& by, NewKey key);

  /// Revokes by name or key id; `not_found` when there is no active one. The name of a subject,
  /// such as `jwt:alex`, bars it for good, also when it has no key yet.
  Result<Key> revoke_key(const WriteCapability& by, std::string_view name_or_id);

  /// Changes what a key may do, by name or key id; its secret stays. The event `access.key_changed`
  /// and the change are one transaction; a change that changes nothing makes no event. Returns the
  /// key as it is then. `not_found` when there is no key that is not revoked; `invalid_request` for
  /// what `create_key` refuses, and for the key of a subject.
  Result<Key> change_key(const WriteCapability& by, std::string_view name_or_id, KeyChange change);

  /// All keys by time of creation, revoked ones included.
  [[nodiscard]] Result<std::vector<Key>> keys() const;

  /// Who presents `secret`: `not_authenticated` when unknown, expired or revoked. Served from
  /// memory while `permission_version` is unchanged.
  [[nodiscard]] Result<Identity> authenticate(std::string_view secret) const;

  /// The key of a subject that was authenticated elsewhere, such as by a token, with the right to
  /// append `types` (empty: nothing) under its id. `nullopt` when it has none yet;
  /// `not_authenticated` when it was revoked; `invalid_request` for a subject that is not 1 to 196
  /// bytes of text, and for bad types. Served from memory as `authenticate` is.
  [[nodiscard]] Result<std::optional<Identity>> find_subject(std::string_view subject,
                                                             const AllowedTypes& types) const;

  /// The same, and makes the key when there is none: named `jwt:` and the subject, with the subject
  /// as principal, without a secret and without rights of its own, and with the event
  /// `access.key_created` in the same transaction. However many ask at once, in any process, there
  /// is one. Blocks when it makes one. `not_allowed` unless `by` is the local administrator.
  Result<Identity> admit_subject(const WriteCapability& by, std::string_view subject,
                                 const AllowedTypes& types);

  // --- Catalogue

  /// Replaces the catalogue by the document in `json`; event `log.catalogue_changed`. The same
  /// document again changes nothing and returns false.
  Result<bool> apply_catalogue(const WriteCapability& by, std::string_view json);

  /// Stops appends of every kind, in all processes, until it is called with false: `frozen` is
  /// their answer, queued events wait, reads go on. For backups and moves. No event tells of it.
  /// Returns whether it was otherwise before; `not_allowed` for anybody but the local
  /// administrator.
  Result<bool> freeze(const WriteCapability& by, bool frozen);

  /// The catalogue in force.
  [[nodiscard]] std::shared_ptr<const core::Catalogue> catalogue() const;

  /// What every event is checked by, as options and catalogue are now; null before `open`.
  [[nodiscard]] std::shared_ptr<const core::EventRules> rules() const;

  // --- For components of the same process

  /// The store behind this log; valid as long as the log.
  [[nodiscard]] log::Store& store() const noexcept;
  /// Who hears of commits from now on, instead of whoever did before; null for nobody.
  void observe(std::shared_ptr<log::CommitObserver> observer);
  /// What the log was made with.
  [[nodiscard]] const LogOptions& options() const noexcept;

  class Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace annals
