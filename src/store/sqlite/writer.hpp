#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

#include "annals/log_state.hpp"
#include "log/ports/change_signal.hpp"
#include "log/ports/store.hpp"
#include "store/common/fair_gate.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace annals::store::sqlite {

/// The one connection that writes and makes checkpoints. Thread-safe: whoever uses it holds the
/// gate.
class Writer {
 public:
  /// No I/O. Everything given must outlive this.
  Writer(const SqliteOptions& options, log::ChangeSignal& changes);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer();

  /// Opens the file that is there or makes a new log, and takes over the log's id.
  Result<LogState> open(const log::NewLog& new_log);

  /// See `Store::begin_write`.
  Result<std::unique_ptr<log::WriteTransaction>> begin(std::chrono::milliseconds timeout);

  /// See `Store::maintain`. Does nothing while a transaction is open. `reading` is held while a
  /// checkpoint is made: reads under it do not stand in its way.
  void maintain(bool idle, std::mutex& reading) noexcept;

  /// Waits for an open transaction; later calls fail. The last connection to the file moves the
  /// write-ahead log into it. Idempotent.
  void close() noexcept;

 private:
  friend class OwnTransaction;

  Result<std::unique_ptr<Connection>> connect();
  /// Replaces a connection that cannot be trusted, if it is one.
  Result<void> ensure_connection();
  /// The connection of the open transaction cannot be trusted any more.
  void distrust() noexcept { trusted_ = false; }
  /// Finds out what became of a commit that failed with `error`; `after` is the state it would have
  /// left, when it appended. Success: it is committed after all.
  Result<void> settle(Error error, const std::optional<LogState>& after);
  /// `limit`: how long readers and writers in the way are waited for.
  Result<void> checkpoint(int mode, std::chrono::milliseconds limit);
  [[nodiscard]] bool checkpoint_is_due(bool idle) const;

  const SqliteOptions& options_;
  log::ChangeSignal& changes_;

  FairGate gate_;
  // Used by the holder of the gate.
  std::unique_ptr<Connection> connection_;
  bool trusted_ = false;
  bool closed_ = false;
  Uuid log_id_;
};

}  // namespace annals::store::sqlite
