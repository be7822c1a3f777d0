#include "store/sqlite/wal_file.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

#include "store/sqlite/error.hpp"
#include "store/sqlite/statements.hpp"

namespace annals::store::sqlite {
namespace {

constexpr sqlite3_int64 piece = sqlite3_int64{64} * 1024;

/// The open file, owned by SQLite; null when there is none.
Result<sqlite3_file*> wal_of(Connection& connection) {
  sqlite3_file* file = nullptr;
  const int code = sqlite3_file_control(connection.database().get(), "main",
                                        SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&file));
  if (code != SQLITE_OK) return std::unexpected(to_error(nullptr, code));
  if (file == nullptr || file->pMethods == nullptr) return nullptr;
  return file;
}

/// SQLite's result code.
int write_again(sqlite3_file* file) {
  sqlite3_int64 size = 0;
  int code = file->pMethods->xFileSize(file, &size);
  if (code != SQLITE_OK || size == 0) return code;
  const auto bytes = std::make_unique<std::array<std::byte, piece>>();
  for (sqlite3_int64 at = 0; at < size && code == SQLITE_OK; at += piece) {
    const int count = static_cast<int>(std::min(piece, size - at));
    code = file->pMethods->xRead(file, bytes->data(), count, at);
    if (code == SQLITE_OK) code = file->pMethods->xWrite(file, bytes->data(), count, at);
  }
  if (code != SQLITE_OK) return code;
  return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

}  // namespace

Result<void> sync_wal(Connection& connection) {
  const auto file = wal_of(connection);
  if (!file) return std::unexpected(file.error());
  if (*file == nullptr) return {};
  const int code = (*file)->pMethods->xSync(*file, SQLITE_SYNC_NORMAL);
  if (code != SQLITE_OK) return std::unexpected(to_error(nullptr, code));
  return {};
}

Result<void> rewrite_wal(Connection& connection) {
  connection.wait_for_locks(std::chrono::milliseconds::zero());
  if (auto begun = connection.statements().run(begin_immediate); !begun) {
    if (begun.error().code == ErrorCode::busy) return {};
    return begun;
  }
  const auto file = wal_of(connection);
  const int code = file && *file != nullptr ? write_again(*file) : SQLITE_OK;
  if (auto ended = connection.statements().run(rollback_transaction); !ended) return ended;
  if (!file) return std::unexpected(file.error());
  if (code != SQLITE_OK) return std::unexpected(to_error(nullptr, code));
  return {};
}

}  // namespace annals::store::sqlite
