#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "log/ports/store.hpp"

namespace annals::test {

/// What a `ForwardingStore` counts and lets a test do. Shared by the test and the store, which is
/// handed over. Counters may be read at any time; hooks are set before the store is used, are
/// called on the caller's thread, and must be thread-safe. An unset hook does nothing; the error
/// that one returns is what the caller of the store gets.
struct StoreProbe {
  std::atomic<std::uint64_t> begin_writes = 0;
  std::atomic<std::uint64_t> state_locks = 0;
  std::atomic<std::uint64_t> head_calls = 0;  ///< Calls of `heads`.
  std::atomic<std::uint64_t> head_reads = 0;  ///< Streams asked for in them.
  std::atomic<std::uint64_t> id_reads = 0;    ///< Ids asked for in `find_ids`.
  std::atomic<std::uint64_t> appends = 0;
  std::atomic<std::uint64_t> appended_events = 0;
  std::atomic<std::uint64_t> commits = 0;    ///< Those that succeeded.
  std::atomic<std::uint64_t> rollbacks = 0;  ///< Transactions that ended without one.
  std::atomic<std::uint64_t> reads = 0;      ///< Calls of `EventReader` and `AdminReader`.
  std::atomic<std::uint64_t> maintains = 0;

  /// While true, everything that would touch what is stored fails with `internal` and is counted:
  /// `begin_write`, `enlist` and all reads. The change signal and `maintain` are left alone, since
  /// a log uses them by itself.
  std::atomic<bool> forbidden = false;
  std::atomic<std::uint64_t> forbidden_touches = 0;

  std::function<Result<void>()> before_begin_write;
  std::function<Result<void>()> before_room;
  std::function<Result<void>(std::span<const std::string>)> before_heads;
  std::function<Result<void>(const core::Placement&)> before_append;
  std::function<Result<void>()> before_commit;
  /// After a commit that succeeded: an error stands for an answer that was lost.
  std::function<Result<void>()> after_commit;
  std::function<Result<void>()> before_read;
};

/// A store that passes everything on to another one. Thread-safe as that one is.
class ForwardingStore final : public log::Store {
 public:
  ForwardingStore(std::unique_ptr<log::Store> inner, std::shared_ptr<StoreProbe> probe);
  ForwardingStore(const ForwardingStore&) = delete;
  ForwardingStore& operator=(const ForwardingStore&) = delete;
  ~ForwardingStore() override;

  Result<void> open(const log::NewLog& new_log) override;
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

 private:
  class Reader;
  class Foreign;

  const std::unique_ptr<log::Store> inner_;
  const std::shared_ptr<StoreProbe> probe_;
  const std::unique_ptr<Reader> reader_;
  const std::unique_ptr<Foreign> foreign_;
};

}  // namespace annals::test
