#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "store/sqlite/connection.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace annals::store::sqlite {

/// Notices commits of other connections and processes, on a connection of its own. Thread-safe.
class ChangeWatch {
 public:
  /// No I/O. `options` must outlive this.
  explicit ChangeWatch(const SqliteOptions& options) noexcept : options_(options) {}

  /// Lets `look` open its connection.
  void open();

  /// The head, when something was committed since the last call; else, and after an error, 0.
  std::uint64_t look();

  /// Waits for a running `look`; later ones give 0. Idempotent.
  void close() noexcept;

 private:
  Result<std::uint64_t> look_at_file();

  const SqliteOptions& options_;

  std::mutex mutex_;  ///< Protects everything below.
  std::unique_ptr<Connection> connection_;
  std::int64_t version_ = 0;  ///< SQLite's, 0 when none was seen on this connection.
  bool open_ = false;
};

}  // namespace annals::store::sqlite
