#include "database.hpp"

#include <stdexcept>

namespace query_runs {

namespace {

struct Finalize {
  void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

void bind(sqlite3_stmt* statement, int index, const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    sqlite3_bind_int64(statement, index, *number);
  } else {
    const auto& text = std::get<std::string>(value);
    sqlite3_bind_text(statement, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }
}

}  // namespace

Database::Database(const std::string& path) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open(path.c_str(), &opened);
  handle_.reset(opened);
  if (code != SQLITE_OK) throw std::runtime_error(path + ": " + sqlite3_errstr(code));
  sqlite3_busy_timeout(opened, 5000);
  change("PRAGMA foreign_keys = ON");
  // Moving the write-ahead log into the file is left to the log that shares it.
  ask("PRAGMA wal_autocheckpoint = 0");
}

Answer Database::ask(std::string_view sql, const std::vector<Value>& values) {
  Answer answer;
  sqlite3_stmt* prepared = nullptr;
  answer.code = sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                   &prepared, nullptr);
  const Statement statement(prepared);
  if (answer.code != SQLITE_OK) return answer;
  for (std::size_t i = 0; i < values.size(); ++i)
    bind(prepared, static_cast<int>(i) + 1, values[i]);
  int step = sqlite3_step(prepared);
  for (; step == SQLITE_ROW; step = sqlite3_step(prepared)) {
    if (answer.rows++ == 0) answer.first = sqlite3_column_int64(prepared, 0);
  }
  if (step != SQLITE_DONE) answer.code = step;
  return answer;
}

std::int64_t Database::change(std::string_view sql, const std::vector<Value>& values) {
  if (ask(sql, values).code != SQLITE_OK) throw std::runtime_error(sqlite3_errmsg(handle_.get()));
  return sqlite3_changes64(handle_.get());
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.change("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (sqlite3_get_autocommit(database_.handle()) == 0) database_.ask("ROLLBACK");
}

void Transaction::commit() {
  database_.change("COMMIT");
}

}  // namespace query_runs
