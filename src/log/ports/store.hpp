#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "annals/log_state.hpp"
#include "annals/read.hpp"
#include "annals/record.hpp"
#include "annals/result.hpp"
#include "annals/unit_of_work.hpp"
#include "core/placement.hpp"
#include "log/ports/admin_store.hpp"
#include "log/ports/change_signal.hpp"

namespace annals::log {

/// What a new log is made with; ignored by a store that has one.
struct NewLog {
  Uuid log_id;
  Uuid local_key_id;
  Timestamp created_at;
  bool create = true;  ///< false: an empty place is `not_found`.
};

/// What a backend says of itself at start.
struct StoreInfo {
  std::string kind;     ///< `memory`, `sqlite`, `postgresql`.
  std::string version;  ///< Of the database library or server.
  int schema_version = 0;
  std::string durability;  ///< `full`, `unsafe`, `none` (memory).
};

/// The application's own statements inside a write transaction. Used on the transaction's thread.
class SqlSession {
 public:
  virtual ~SqlSession() = default;

  /// One statement, parameters `$1`.. bound in order; `rows` null when they are not wanted.
  /// `not_allowed` for a statement that touches the log's tables, ends the transaction, attaches or
  /// changes settings; `invalid_request` for one that fails; the transaction stays usable.
  virtual Result<std::uint64_t> execute(std::string_view sql, std::span<const SqlValue> parameters,
                                        SqlRows* rows) = 0;
};

/// One exclusive write transaction. Owned by one thread; must not outlive its store. The destructor
/// rolls back.
class WriteTransaction {
 public:
  virtual ~WriteTransaction() = default;

  /// Locks the state row and returns it.
  virtual Result<LogState> lock_state() = 0;

  /// Heads of streams in the order asked; `nullopt` where a stream has never had an event.
  virtual Result<std::vector<std::optional<StreamHead>>> heads(
      std::span<const std::string> streams) = 0;

  /// Records by event id in the order asked; `nullopt` where unknown.
  virtual Result<std::vector<std::optional<Record>>> find_ids(std::span<const Uuid> ids) = 0;

  /// Writes records, heads and marks and advances the state: the one function that advances the
  /// sequence. Compares `before` (seq, log hash, permission version) with the stored row and every
  /// head with version - number of new events; a difference is `store_corrupt`. On any error the
  /// transaction can only be rolled back.
  virtual Result<void> append(const core::Placement& placement) = 0;

  /// Administration in the same transaction. Valid as long as this.
  virtual AdminWriter& admin() = 0;

  /// The application's statements, or null when the backend has none (memory).
  virtual SqlSession* sql() = 0;

  /// Makes everything durable and then wakes the change signal once, with the highest number, if
  /// events were appended. Errors: `store_full`, `store_unavailable` (nothing was stored),
  /// `commit_unknown`.
  virtual Result<void> commit() = 0;

  /// Gives everything up. Safe to call at any time, also from the destructor.
  virtual void rollback() noexcept = 0;
};

/// Reads of committed, durable history. Thread-safe; each call sees one moment.
class EventReader {
 public:
  virtual ~EventReader() = default;

  virtual Result<LogState> state() = 0;

  /// See `ReadOptions`; never returns anything below `oldest`.
  virtual Result<Page> page(const ReadOptions& options) = 0;
  virtual Result<std::optional<Record>> find(std::uint64_t seq) = 0;
  virtual Result<std::optional<Record>> find(const Uuid& id) = 0;

  /// `version` is 0 and `records` empty for an unknown stream. `options.verify` is not looked at.
  virtual Result<StreamPage> stream_page(std::string_view stream,
                                         const StreamReadOptions& options) = 0;
  virtual Result<std::vector<StreamHead>> streams(std::string_view prefix, std::string_view after,
                                                  std::size_t limit) = 0;
  virtual Result<std::optional<StreamHead>> stream(std::string_view name) = 0;
  virtual Result<std::vector<Gap>> gaps() = 0;

  /// The mark with the highest seq <= `seq`, or `nullopt`.
  virtual Result<std::optional<core::HashMark>> mark_at_or_before(std::uint64_t seq) = 0;

  /// Rows in the event table, counted: for `verify` and `doctor`.
  virtual Result<std::uint64_t> count() = 0;

  /// Numbers from `first` to `last`, ascending, whose event is there but is not found by its id,
  /// because what leads from ids to events is damaged: for `verify`.
  virtual Result<std::vector<std::uint64_t>> lost_ids(std::uint64_t first, std::uint64_t last) = 0;

  /// Whether the digests in a header, of parts that are present, are computed from the parts at
  /// each read, so that comparing them once more proves nothing: the row hash alone tells.
  [[nodiscard]] virtual bool derives_digests() const noexcept = 0;
};

/// Enlisting in a transaction that the application opened on its own connection.
class ForeignTransactions {
 public:
  virtual ~ForeignTransactions() = default;

  /// A transaction whose commit and rollback do nothing: both belong to the application. Errors:
  /// `invalid_request` with what the connection lacks.
  virtual Result<std::unique_ptr<WriteTransaction>> enlist(void* connection) = 0;
};

/// A place where one log is stored. Thread-safe. The constructor does no I/O.
class Store {
 public:
  virtual ~Store() = default;

  /// Opens the store, or makes a new log in an empty place. Never deletes or rebuilds anything.
  /// `store_corrupt` when it is something else or newer than this program.
  virtual Result<void> open(const NewLog& new_log) = 0;

  /// Waits for running calls and closes. Idempotent.
  virtual void close() noexcept = 0;

  [[nodiscard]] virtual StoreInfo info() const = 0;

  /// Begins the exclusive write transaction, waiting up to `timeout` for others in this and other
  /// processes (`busy` after that), in order of arrival within this process.
  virtual Result<std::unique_ptr<WriteTransaction>> begin_write(
      std::chrono::milliseconds timeout) = 0;

  /// Whether there is room for more events: `store_full` while less space is left than is kept for
  /// what must still be possible then, such as revoking a key. Asked once per transaction that
  /// appends events of producers; cheap.
  virtual Result<void> check_room() = 0;

  virtual EventReader& events() = 0;
  virtual AdminReader& admin() = 0;
  virtual ChangeSignal& changes() = 0;

  /// Null when the backend cannot enlist.
  virtual ForeignTransactions* foreign() = 0;

  /// Housekeeping between two groups (checkpoints); called by the committer on its own thread after
  /// each group and, with `idle`, when nothing is queued. Errors are retried at the next call.
  virtual void maintain(bool idle) noexcept = 0;
};

}  // namespace annals::log
