#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "annals/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace annals::store::sqlite {

/// How `Database::open` treats a missing file.
enum class Missing : std::uint8_t { fail, create };

/// Owner of a connection. Used by one thread at a time.
class Database {
 public:
  /// Opens `path` for reading and writing. Errors as `to_error`. Nothing is read from the file yet.
  /// A connection that is the last to close leaves the write-ahead log as it is, until
  /// `checkpoint_on_close`.
  static Result<Database> open(const std::filesystem::path& path, Missing missing);

  /// The raw connection, valid as long as this.
  [[nodiscard]] sqlite3* get() const noexcept { return handle_.get(); }

  /// Runs statements of the program's own text and drops their rows.
  Result<void> execute(const char* sql) const;

  /// The first column of the first row of the program's own query.
  Result<std::int64_t> integer(const char* sql) const;
  Result<std::string> text(const char* sql) const;

  /// Lets the last connection to close move the write-ahead log into the file and remove it.
  void checkpoint_on_close() const noexcept;

 private:
  struct Close {
    void operator()(sqlite3* handle) const noexcept;
  };
  explicit Database(sqlite3* handle) noexcept : handle_(handle) {}

  std::unique_ptr<sqlite3, Close> handle_;
};

/// Owner of a prepared statement. Used by one thread at a time; must not outlive its connection.
class Statement {
 public:
  /// Prepares the one statement at the beginning of `sql`; `tail` gets what follows it. An empty
  /// text gives a statement whose `empty()` is true. `persistent`: it will be used many times.
  static Result<Statement> prepare(sqlite3* connection, std::string_view sql, bool persistent,
                                   std::string_view* tail = nullptr);

  [[nodiscard]] bool empty() const noexcept { return handle_ == nullptr; }
  [[nodiscard]] sqlite3_stmt* get() const noexcept { return handle_.get(); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const noexcept;
  };
  explicit Statement(sqlite3_stmt* handle) noexcept : handle_(handle) {}

  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

/// One run of a prepared statement: bind, step, read; the destructor resets it and drops what was
/// bound. Bytes are bound by reference: they must live until then. Indexes of parameters begin
/// at 1, of columns at 0. Used by one thread.
class Query {
 public:
  explicit Query(sqlite3_stmt* statement) noexcept : statement_(statement) {}
  Query(Query&& other) noexcept;
  Query& operator=(Query&&) = delete;
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query();

  // A failed bind is reported by the next step.
  Query& bind(int index, std::int64_t value) noexcept;
  Query& bind(int index, std::uint64_t value) noexcept;
  Query& bind(int index, double value) noexcept;
  Query& bind(int index, std::string_view text) noexcept;
  Query& bind(int index, std::span<const std::uint8_t> bytes) noexcept;
  Query& bind_null(int index) noexcept;
  // Bytes that would be gone before the step.
  Query& bind(int index, std::string&& text) = delete;
  template <std::size_t Size>
  Query& bind(int index, std::array<std::uint8_t, Size>&& bytes) = delete;

  /// Goes to the next row; false at the end. Errors as `to_error`.
  Result<bool> step();

  /// Runs a statement that gives no rows.
  Result<void> run();

  // Columns of the current row. Views are valid until the next step.
  [[nodiscard]] int column_count() const noexcept;
  [[nodiscard]] int type(int column) const noexcept;  ///< SQLITE_INTEGER, ..., SQLITE_NULL.
  [[nodiscard]] std::int64_t integer(int column) const noexcept;
  [[nodiscard]] double real(int column) const noexcept;
  [[nodiscard]] std::string_view text(int column) const noexcept;
  [[nodiscard]] std::span<const std::uint8_t> blob(int column) const noexcept;

 private:
  sqlite3_stmt* statement_;
  int bind_error_ = 0;
};

/// The program's own statements on one connection, prepared at first use and kept. Used by one
/// thread at a time; must not outlive the connection.
class Statements {
 public:
  explicit Statements(sqlite3* connection) noexcept : connection_(connection) {}

  /// `sql` is one of the program's constants: it is known by its address. One use of a statement
  /// must end before the next begins.
  Result<Query> query(const char* sql);

  /// Runs a constant without parameters that gives no rows.
  Result<void> run(const char* sql);

  [[nodiscard]] sqlite3* connection() const noexcept { return connection_; }

  /// Finalises everything.
  void clear() noexcept { prepared_.clear(); }

 private:
  sqlite3* connection_;
  std::map<const char*, Statement> prepared_;
};

}  // namespace annals::store::sqlite
