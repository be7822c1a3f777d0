#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "log/ports/exclusive_server.hpp"
#include "log/ports/store.hpp"

namespace annals::store {

/// How a file is used. Plain value.
struct SqliteOptions {
  std::filesystem::path path;

  /// How long other processes that hold the file are waited for: writers by `begin_write` (which
  /// has its own limit too), everybody by `open` and by reads.
  std::chrono::milliseconds busy_timeout{5000};

  /// What is left on the volume, in bytes, for anything but events: appends stop before. 0:
  /// nothing.
  std::uint64_t disk_reserve = std::uint64_t{64} << 20U;

  /// Connections for reads; calls beyond that wait for each other.
  int readers = 4;

  /// Gets the text of every statement that the store's own connections run, parameters not filled
  /// in, on the thread that runs it. Must be thread-safe, must not throw and not call back.
  std::function<void(std::string_view)> statement_trace;
};

/// A log in one SQLite file, which the application's own tables may share. Thread-safe. One writer
/// at a time in order of arrival, readers beside it; other processes may open the file too.
class SqliteStore final : public log::Store, public log::ExclusiveServer {
 public:
  /// No I/O.
  explicit SqliteStore(SqliteOptions options);

  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;
  ~SqliteStore() override;

  Result<void> open(const log::NewLog& new_log) override;

  /// Waits also for an open write transaction: not to be called by the thread that has one.
  void close() noexcept override;

  [[nodiscard]] log::StoreInfo info() const override;
  Result<std::unique_ptr<log::WriteTransaction>> begin_write(
      std::chrono::milliseconds timeout) override;
  Result<void> check_room() override;
  log::EventReader& events() override;
  log::AdminReader& admin() override;
  log::ChangeSignal& changes() override;
  log::ForeignTransactions* foreign() override;
  void maintain(bool idle) noexcept override;

  Result<void> lock_server() override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace annals::store
