#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace query_runs {

/// What a statement is given for `?1`, `?2`, ...
using Value = std::variant<std::int64_t, std::string>;

/// What a query gave.
struct Answer {
  int code = SQLITE_OK;    ///< Of SQLite; nothing else counts unless it is SQLITE_OK.
  std::int64_t rows = 0;   ///< How many rows there were.
  std::int64_t first = 0;  ///< The first column of the first row, as a number.
};

/// One connection of the application. Used on one thread. The constructor opens the file and makes
/// it if need be.
class Database {
 public:
  /// Throws std::runtime_error when the file cannot be opened.
  explicit Database(const std::string& path);

  /// Runs one statement to its end. Never throws for what SQLite says.
  Answer ask(std::string_view sql, const std::vector<Value>& values = {});

  /// Runs one statement that has to succeed; throws std::runtime_error when it does not. The number
  /// of rows it changed.
  std::int64_t change(std::string_view sql, const std::vector<Value>& values = {});

  [[nodiscard]] sqlite3* handle() const noexcept { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const noexcept { sqlite3_close(handle); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

/// A transaction that has the write lock from the beginning. Rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  void commit();

 private:
  Database& database_;
};

}  // namespace query_runs
