#include "store/sqlite/error.hpp"

#include <sqlite3.h>

namespace annals::store::sqlite {

ErrorCode error_code(int sqlite_code) noexcept {
  // Growing the shared memory of the write-ahead log found no space.
  if (sqlite_code == SQLITE_IOERR_SHMSIZE) return ErrorCode::store_full;
  switch (sqlite_code & 0xFF) {
    case SQLITE_FULL:
      return ErrorCode::store_full;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_NOMEM:
    case SQLITE_NOLFS:
      return ErrorCode::store_unavailable;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_SCHEMA:
    // The statements are constants: only a table that is not what they expect can make them wrong.
    case SQLITE_ERROR:
      return ErrorCode::store_corrupt;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return ErrorCode::busy;
    case SQLITE_CONSTRAINT:
      return sqlite_code == SQLITE_CONSTRAINT_TRIGGER ? ErrorCode::store_corrupt
                                                      : ErrorCode::internal;
    default:
      return ErrorCode::internal;
  }
}

Error to_error(sqlite3* connection, int sqlite_code) {
  std::string detail =
      connection == nullptr ? sqlite3_errstr(sqlite_code) : sqlite3_errmsg(connection);
  detail += " (SQLite code " + std::to_string(sqlite_code) + ")";
  return Error{error_code(sqlite_code), std::move(detail), {}, {}};
}

bool spoils_connection(const Error& error) noexcept {
  return error.code == ErrorCode::store_unavailable || error.code == ErrorCode::store_corrupt;
}

Error corrupt(std::string_view what) {
  return Error{ErrorCode::store_corrupt, std::string(what), {}, {}};
}

}  // namespace annals::store::sqlite
