#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

struct sqlite3;

namespace annals::test {

/// A connection to a SQLite file that the store knows nothing of: an application's, a careless
/// operator's, an attacker's. Waits up to 5 s for locks. Used on one thread; not copyable.
class RawSqlite {
 public:
  /// Opens or creates the file. Throws std::runtime_error when it cannot.
  explicit RawSqlite(const std::filesystem::path& path);
  RawSqlite(const RawSqlite&) = delete;
  RawSqlite& operator=(const RawSqlite&) = delete;
  ~RawSqlite();

  /// Runs statements; the message of SQLite when one fails, empty when all succeed.
  std::string run(const std::string& sql);

  /// Runs statements; throws std::runtime_error when one fails.
  void must(const std::string& sql);

  /// First column of the first row; throws std::runtime_error when there is none.
  std::int64_t integer(const std::string& sql);
  std::string text(const std::string& sql);

  [[nodiscard]] sqlite3* get() const noexcept { return connection_; }

 private:
  sqlite3* connection_ = nullptr;
};

}  // namespace annals::test
