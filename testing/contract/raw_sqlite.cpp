#include "testing/contract/raw_sqlite.hpp"

#include <sqlite3.h>

#include <memory>
#include <stdexcept>

namespace annals::test {

RawSqlite::RawSqlite(const std::filesystem::path& path) {
  if (sqlite3_open(path.c_str(), &connection_) != SQLITE_OK) {
    const std::string message = sqlite3_errmsg(connection_);
    sqlite3_close(connection_);
    throw std::runtime_error(message);
  }
  sqlite3_busy_timeout(connection_, 5000);
}

RawSqlite::~RawSqlite() {
  sqlite3_close_v2(connection_);
}

std::string RawSqlite::run(const std::string& sql) {
  char* message = nullptr;
  const int code = sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, &message);
  std::string text = code == SQLITE_OK ? "" : message != nullptr ? message : sqlite3_errstr(code);
  sqlite3_free(message);
  return text;
}

void RawSqlite::must(const std::string& sql) {
  if (const auto message = run(sql); !message.empty()) {
    throw std::runtime_error(sql + ": " + message);
  }
}

std::string RawSqlite::text(const std::string& sql) {
  sqlite3_stmt* raw = nullptr;
  sqlite3_prepare_v2(connection_, sql.c_str(), -1, &raw, nullptr);
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(raw, sqlite3_finalize);
  if (raw == nullptr || sqlite3_step(raw) != SQLITE_ROW) {
    throw std::runtime_error(sql + ": " + sqlite3_errmsg(connection_));
  }
  const auto* value = reinterpret_cast<const char*>(sqlite3_column_text(raw, 0));
  return value == nullptr ? "" : value;
}

std::int64_t RawSqlite::integer(const std::string& sql) {
  return std::stoll(text(sql));
}

}  // namespace annals::test
