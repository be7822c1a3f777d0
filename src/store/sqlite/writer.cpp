#include "store/sqlite/writer.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>

#include "store/sqlite/codec.hpp"
#include "store/sqlite/error.hpp"
#include "store/sqlite/files.hpp"
#include "store/sqlite/own_transaction.hpp"
#include "store/sqlite/schema.hpp"
#include "store/sqlite/statements.hpp"
#include "store/sqlite/wal_file.hpp"

namespace annals::store::sqlite {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

/// Pages in the write-ahead log from which on a checkpoint is made between two groups.
constexpr int checkpoint_pages = 1500;

/// How long a reader's page may delay the checkpoint that settles a failed commit.
constexpr milliseconds settle_wait{500};

std::unexpected<Error> closed() {
  return fail(ErrorCode::store_unavailable, "the store is closed");
}

}  // namespace

Writer::Writer(const SqliteOptions& options, log::ChangeSignal& changes)
    : options_(options),
      changes_(changes) {}

Writer::~Writer() {
  close();
}

Result<LogState> Writer::open(const log::NewLog& new_log) {
  const auto hold = gate_.acquire();
  if (closed_) return closed();
  if (connection_) return fail(ErrorCode::internal, "the store is open already");

  const auto place = look_at(options_.path);
  if (!place) return std::unexpected(place.error());
  if (*place == Place::missing) {
    if (!new_log.create) return fail(ErrorCode::not_found, "there is no log");
    const auto made = make_file(options_.path, new_log, options_.statement_trace);
    if (!made) return std::unexpected(made.error());
  }
  auto opened = Connection::open(options_.path, Missing::fail, options_.statement_trace);
  if (!opened) return std::unexpected(opened.error());
  auto& connection = **opened;
  connection.wait_for_locks(options_.busy_timeout);
  const auto identity = identify(connection.database());
  if (!identity) return std::unexpected(identity.error());
  if (*identity == Identity::empty) {
    if (!new_log.create) return fail(ErrorCode::not_found, "there is no log");
    const auto made = create_schema(connection.database(), new_log);
    if (!made) return std::unexpected(made.error());
  }
  if (auto set = connection.configure(Role::writer); !set) return std::unexpected(set.error());
  // Before anybody reads: what is answered and what is read must be on the disk.
  if (auto kept = rewrite_wal(connection); !kept) return std::unexpected(kept.error());
  connection.wait_for_locks(options_.busy_timeout);
  auto state = load_state(connection.statements());
  if (!state) return state;
  log_id_ = state->log_id;
  connection_ = std::move(*opened);
  trusted_ = true;
  return state;
}

Result<std::unique_ptr<Connection>> Writer::connect() {
  auto opened = Connection::open(options_.path, Missing::fail, options_.statement_trace);
  if (!opened) return opened;
  auto& connection = **opened;
  connection.wait_for_locks(options_.busy_timeout);
  const auto identity = identify(connection.database());
  if (!identity) return std::unexpected(identity.error());
  if (*identity != Identity::store) return std::unexpected(corrupt("the log is gone"));
  if (auto set = connection.configure(Role::writer); !set) return std::unexpected(set.error());
  const auto state = load_state(connection.statements());
  if (!state) return std::unexpected(state.error());
  if (state->log_id != log_id_) return std::unexpected(corrupt("the file is another log now"));
  return opened;
}

Result<void> Writer::ensure_connection() {
  if (closed_ || !connection_) return closed();
  if (trusted_) return {};
  // The old one is closed after the new one is open: while a connection is there, SQLite does not
  // recover, and frames whose sync failed do not come back to life.
  auto opened = connect();
  if (!opened) return std::unexpected(opened.error());
  connection_ = std::move(*opened);
  trusted_ = true;
  return {};
}

Result<std::unique_ptr<log::WriteTransaction>> Writer::begin(milliseconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  auto hold = gate_.acquire(timeout);
  if (!hold) return fail(ErrorCode::busy, "another transaction takes too long");
  if (auto ready = ensure_connection(); !ready) return std::unexpected(ready.error());
  const auto left = duration_cast<milliseconds>(deadline - steady_clock::now());
  connection_->wait_for_locks(std::clamp(left, milliseconds::zero(),
                                         std::max(options_.busy_timeout, milliseconds::zero())));
  if (auto begun = connection_->statements().run(begin_immediate); !begun) {
    if (spoils_connection(begun.error())) distrust();
    return std::unexpected(begun.error());
  }
  return std::make_unique<OwnTransaction>(*this, *connection_, std::move(*hold), log_id_);
}

Result<void> Writer::settle(Error error, const std::optional<LogState>& after) {
  distrust();
  const auto unknown = [&](const Error& cause) {
    return fail(ErrorCode::commit_unknown, "the commit failed (" + error.detail +
                                               ") and its outcome cannot be told: " + cause.detail);
  };
  if (auto ready = ensure_connection(); !ready) return unknown(ready.error());
  const auto now = load_state(connection_->statements());
  if (!now) return unknown(now.error());
  if (after && now->event_seq >= after->event_seq) {
    if (now->event_seq == after->event_seq && now->log_hash == after->log_hash) return {};
    return unknown(error);
  }
  // What was written of the commit must not be found valid after a crash: empty the log it is in.
  auto emptied = checkpoint(SQLITE_CHECKPOINT_TRUNCATE, settle_wait);
  if (emptied) emptied = sync_wal(*connection_);
  if (!emptied) {
    distrust();
    return unknown(emptied.error());
  }
  return std::unexpected(std::move(error));
}

Result<void> Writer::checkpoint(int mode, milliseconds limit) {
  auto& statements = connection_->statements();
  auto* raw = connection_->database().get();
  // Without the write lock SQLite would fall back to a checkpoint that runs beside a commit. The
  // lock cannot be carried over, but whoever holds it now is found.
  connection_->wait_for_locks(limit);
  if (auto begun = statements.run(begin_immediate); !begun) return begun;
  if (auto ended = statements.run(rollback_transaction); !ended) return ended;
  const int code = sqlite3_wal_checkpoint_v2(raw, "main", mode, nullptr, nullptr);
  if (code != SQLITE_OK) return std::unexpected(to_error(raw, code));
  connection_->forget_wal_pages();
  return {};
}

bool Writer::checkpoint_is_due(bool idle) const {
  if (!idle) return connection_->wal_pages() >= checkpoint_pages;
  // The application's own commits and those of other processes are not counted on the connection.
  auto wal = options_.path;
  wal += "-wal";
  std::error_code error;
  const auto size = std::filesystem::file_size(wal, error);
  return !error && size > 0;
}

void Writer::maintain(bool idle, std::mutex& reading) noexcept {
  const auto hold = gate_.acquire(milliseconds::zero());
  if (!hold || closed_ || !connection_ || !trusted_ || !checkpoint_is_due(idle)) return;
  const std::lock_guard quiet(reading);
  const int mode = idle ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_RESTART;
  const auto done = checkpoint(mode, milliseconds::zero());
  if (!done && spoils_connection(done.error())) distrust();
}

void Writer::close() noexcept {
  const auto hold = gate_.acquire();
  if (std::exchange(closed_, true) || !connection_) return;
  if (trusted_) connection_->database().checkpoint_on_close();
  connection_.reset();
}

}  // namespace annals::store::sqlite
