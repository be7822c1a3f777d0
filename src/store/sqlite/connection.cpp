#include "store/sqlite/connection.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <thread>

#include "store/sqlite/authorizer.hpp"
#include "store/sqlite/error.hpp"

namespace annals::store::sqlite {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

Connection::Connection(Database database)
    : database_(std::move(database)),
      statements_(database_.get()) {}

Result<std::unique_ptr<Connection>> Connection::open(
    const std::filesystem::path& path, Missing missing,
    const std::function<void(std::string_view)>& trace) {
  auto database = Database::open(path, missing);
  if (!database) return std::unexpected(database.error());
  std::unique_ptr<Connection> connection(new Connection(std::move(*database)));
  auto* raw = connection->database_.get();
  sqlite3_busy_handler(raw, &Connection::on_busy, connection.get());
  if (trace) {
    // Called with the pointer that is given here, and only read through it.
    auto* context = const_cast<std::function<void(std::string_view)>*>(&trace);
    sqlite3_trace_v2(raw, SQLITE_TRACE_STMT, &Connection::on_trace, context);
  }
  return connection;
}

Result<void> Connection::configure(Role role) {
  // The hook also keeps SQLite from making checkpoints of its own.
  auto* raw = database_.get();
  auto set = database_.execute(
      "PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF");
  if (set && role == Role::writer) {
    set = database_.execute(
        "PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON;"
        "PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -32768");
  }
  if (set && role == Role::reader) set = database_.execute("PRAGMA query_only = ON");
  if (!set) return set;

  for (const auto& [pragma, value] :
       {std::pair{"PRAGMA main.journal_mode", "wal"}, std::pair{"PRAGMA main.synchronous", "2"},
        std::pair{"PRAGMA wal_autocheckpoint", "0"}, std::pair{"PRAGMA encoding", "UTF-8"}}) {
    if (auto held = expect(pragma, value); !held) return held;
  }
  if (role == Role::reader) return expect("PRAGMA query_only", "1");
  if (auto held = expect("PRAGMA main.secure_delete", "1"); !held) return held;
  sqlite3_wal_hook(raw, &Connection::on_commit, this);
  sqlite3_set_authorizer(raw, &Connection::on_authorize, this);
  return {};
}

Result<void> Connection::expect(const char* pragma, std::string_view value) {
  const auto actual = database_.text(pragma);
  if (!actual) return std::unexpected(actual.error());
  if (*actual != value) {
    return fail(ErrorCode::store_unavailable, std::string(pragma) + " is '" + *actual +
                                                  "' and cannot be made '" + std::string(value) +
                                                  "' here");
  }
  return {};
}

void Connection::wait_for_locks(milliseconds limit) noexcept {
  lock_deadline_ = steady_clock::now() + limit;
}

int Connection::on_busy(void* self, int attempts) {
  const auto left = static_cast<Connection*>(self)->lock_deadline_ - steady_clock::now();
  if (left <= steady_clock::duration::zero()) return 0;
  // The holder of the lock may be another process, which wakes nobody: all there is is to look
  // again.
  const steady_clock::duration nap = milliseconds(1) * (1 << std::min(attempts, 3));
  std::this_thread::sleep_for(std::min(nap, left));
  return 1;
}

int Connection::on_commit(void* self, sqlite3* /*connection*/, const char* /*name*/, int pages) {
  static_cast<Connection*>(self)->wal_pages_ = pages;
  return SQLITE_OK;
}

int Connection::on_authorize(void* self, int action, const char* first, const char* second,
                             const char* /*schema*/, const char* /*trigger*/) {
  auto& connection = *static_cast<Connection*>(self);
  if (!connection.application_) return SQLITE_OK;
  const auto reason = application_may_not(action, first, second);
  if (reason.empty()) return SQLITE_OK;
  connection.refused_ = reason;
  return SQLITE_DENY;
}

int Connection::on_trace(unsigned /*event*/, void* trace, void* /*statement*/, void* text) {
  const auto& function = *static_cast<const std::function<void(std::string_view)>*>(trace);
  function(static_cast<const char*>(text));
  return 0;
}

}  // namespace annals::store::sqlite
