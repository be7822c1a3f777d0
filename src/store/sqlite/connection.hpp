#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "annals/result.hpp"
#include "store/sqlite/handle.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace annals::store::sqlite {

/// What a connection is used for.
enum class Role : std::uint8_t { writer, reader };

/// A connection of the store to its file: settings, waiting for locks, the application's limits,
/// kept statements. Used by one thread at a time; not movable, since SQLite calls it back.
class Connection {
 public:
  /// Opens without touching the file. `trace` must outlive the connection; it may be empty.
  static Result<std::unique_ptr<Connection>> open(
      const std::filesystem::path& path, Missing missing,
      const std::function<void(std::string_view)>& trace);

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() = default;

  /// Makes the settings of a role and reads the effective ones back. `store_unavailable` naming a
  /// setting that does not hold.
  Result<void> configure(Role role);

  /// Locks of others are waited for until `limit` from now; 0 fails at once.
  void wait_for_locks(std::chrono::milliseconds limit) noexcept;

  /// Whether statements prepared and run now are the application's, with the application's limits.
  /// Only the writer has them.
  void set_application(bool on) noexcept { application_ = on; }

  /// Why the last application's statement was refused; empty when it was not.
  [[nodiscard]] const std::string& refused() const noexcept { return refused_; }
  void clear_refused() { refused_.clear(); }

  /// Pages in the write-ahead log after the last commit on this connection.
  [[nodiscard]] int wal_pages() const noexcept { return wal_pages_; }
  void forget_wal_pages() noexcept { wal_pages_ = 0; }

  Database& database() noexcept { return database_; }
  Statements& statements() noexcept { return statements_; }

 private:
  explicit Connection(Database database);

  static int on_busy(void* self, int attempts);
  static int on_commit(void* self, sqlite3* connection, const char* name, int pages);
  static int on_authorize(void* self, int action, const char* first, const char* second,
                          const char* schema, const char* trigger);
  static int on_trace(unsigned event, void* trace, void* statement, void* text);

  Result<void> expect(const char* pragma, std::string_view value);

  Database database_;
  Statements statements_;
  std::chrono::steady_clock::time_point lock_deadline_{};
  bool application_ = false;
  std::string refused_;
  int wal_pages_ = 0;
};

}  // namespace annals::store::sqlite
