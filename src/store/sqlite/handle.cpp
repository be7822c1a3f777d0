#include "store/sqlite/handle.hpp"

#include <sqlite3.h>

#include <utility>

#include "store/sqlite/error.hpp"

namespace annals::store::sqlite {

void Database::Close::operator()(sqlite3* handle) const noexcept {
  sqlite3_close_v2(handle);
}

Result<Database> Database::open(const std::filesystem::path& path, Missing missing) {
  // An absolute path is never read as a URI or as the name of a temporary database.
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  if (error || path.empty()) return fail(ErrorCode::store_unavailable, "no such path");

  sqlite3* raw = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                    (missing == Missing::create ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(absolute.c_str(), &raw, flags, nullptr);
  Database database(raw);
  if (code != SQLITE_OK) return std::unexpected(to_error(raw, code));
  // SQLite would otherwise fold the write-ahead log into a file that nobody has looked at yet.
  sqlite3_db_config(raw, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  // No statement may write the schema table or switch the journal off.
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  return database;
}

Result<void> Database::execute(const char* sql) const {
  const int code = sqlite3_exec(get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return std::unexpected(to_error(get(), code));
  return {};
}

Result<std::int64_t> Database::integer(const char* sql) const {
  auto statement = Statement::prepare(get(), sql, false);
  if (!statement) return std::unexpected(statement.error());
  Query query(statement->get());
  const auto row = query.step();
  if (!row) return std::unexpected(row.error());
  if (!*row) return std::unexpected(corrupt("a query gave no row"));
  return query.integer(0);
}

Result<std::string> Database::text(const char* sql) const {
  auto statement = Statement::prepare(get(), sql, false);
  if (!statement) return std::unexpected(statement.error());
  Query query(statement->get());
  const auto row = query.step();
  if (!row) return std::unexpected(row.error());
  if (!*row) return std::unexpected(corrupt("a query gave no row"));
  return std::string(query.text(0));
}

void Database::checkpoint_on_close() const noexcept {
  sqlite3_db_config(get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
}

void Statement::Finalize::operator()(sqlite3_stmt* handle) const noexcept {
  sqlite3_finalize(handle);
}

Result<Statement> Statement::prepare(sqlite3* connection, std::string_view sql, bool persistent,
                                     std::string_view* tail) {
  sqlite3_stmt* raw = nullptr;
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v3(connection, sql.data(), static_cast<int>(sql.size()),
                                      persistent ? SQLITE_PREPARE_PERSISTENT : 0, &raw, &rest);
  Statement statement(raw);
  if (code != SQLITE_OK) return std::unexpected(to_error(connection, code));
  if (tail != nullptr) *tail = sql.substr(static_cast<std::size_t>(rest - sql.data()));
  return statement;
}

Query::Query(Query&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)),
      bind_error_(other.bind_error_) {}

Query::~Query() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

Query& Query::bind(int index, std::int64_t value) noexcept {
  if (const int code = sqlite3_bind_int64(statement_, index, value)) bind_error_ = code;
  return *this;
}

Query& Query::bind(int index, std::uint64_t value) noexcept {
  return bind(index, static_cast<std::int64_t>(value));
}

Query& Query::bind(int index, double value) noexcept {
  if (const int code = sqlite3_bind_double(statement_, index, value)) bind_error_ = code;
  return *this;
}

Query& Query::bind(int index, std::string_view text) noexcept {
  // A null pointer would bind NULL instead of the empty text.
  const char* data = text.data() == nullptr ? "" : text.data();
  if (const int code =
          sqlite3_bind_text64(statement_, index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8)) {
    bind_error_ = code;
  }
  return *this;
}

Query& Query::bind(int index, std::span<const std::uint8_t> bytes) noexcept {
  const int code = bytes.empty() ? sqlite3_bind_zeroblob(statement_, index, 0)
                                 : sqlite3_bind_blob64(statement_, index, bytes.data(),
                                                       bytes.size(), SQLITE_STATIC);
  if (code != SQLITE_OK) bind_error_ = code;
  return *this;
}

Query& Query::bind_null(int index) noexcept {
  if (const int code = sqlite3_bind_null(statement_, index)) bind_error_ = code;
  return *this;
}

Result<bool> Query::step() {
  if (bind_error_ != SQLITE_OK) {
    return std::unexpected(to_error(nullptr, bind_error_));
  }
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return std::unexpected(to_error(sqlite3_db_handle(statement_), code));
}

Result<void> Query::run() {
  const auto row = step();
  if (!row) return std::unexpected(row.error());
  if (*row) return fail(ErrorCode::internal, "a statement gave a row that nobody expects");
  return {};
}

int Query::column_count() const noexcept {
  return sqlite3_column_count(statement_);
}

int Query::type(int column) const noexcept {
  return sqlite3_column_type(statement_, column);
}

std::int64_t Query::integer(int column) const noexcept {
  return sqlite3_column_int64(statement_, column);
}

double Query::real(int column) const noexcept {
  return sqlite3_column_double(statement_, column);
}

std::string_view Query::text(int column) const noexcept {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::span<const std::uint8_t> Query::blob(int column) const noexcept {
  const auto* data = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_, column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Result<Query> Statements::query(const char* sql) {
  auto found = prepared_.find(sql);
  if (found == prepared_.end()) {
    auto statement = Statement::prepare(connection_, sql, true);
    if (!statement) return std::unexpected(statement.error());
    found = prepared_.emplace(sql, std::move(*statement)).first;
  }
  return Query(found->second.get());
}

Result<void> Statements::run(const char* sql) {
  auto query = this->query(sql);
  if (!query) return std::unexpected(query.error());
  return query->run();
}

}  // namespace annals::store::sqlite
