#pragma once

#include <atomic>
#include <memory>

#include "log/ports/store.hpp"

namespace annals::store {

class MemoryLog;
class MemoryReader;

/// A log in memory: the reference model that every other store is compared with. Durable as long as
/// its `MemoryLog`. Thread-safe.
class MemoryStore final : public log::Store {
 public:
  /// A store with a log of its own, gone with the store.
  MemoryStore();

  /// A store of a log that others may use too and that survives the store, like a file.
  explicit MemoryStore(std::shared_ptr<MemoryLog> log);

  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;
  ~MemoryStore() override;

  Result<void> open(const log::NewLog& new_log) override;
  void close() noexcept override;
  [[nodiscard]] log::StoreInfo info() const override;
  Result<std::unique_ptr<log::WriteTransaction>> begin_write(
      std::chrono::milliseconds timeout) override;
  Result<void> check_room() override { return {}; }
  log::EventReader& events() override;
  log::AdminReader& admin() override;
  log::ChangeSignal& changes() override;
  log::ForeignTransactions* foreign() override { return nullptr; }
  void maintain(bool /*idle*/) noexcept override {}

 private:
  const std::shared_ptr<MemoryLog> log_;
  const std::unique_ptr<MemoryReader> reader_;
};

}  // namespace annals::store
