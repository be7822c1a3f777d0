#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "log/ports/store.hpp"
#include "store/common/fair_gate.hpp"
#include "store/memory/memory_log.hpp"

namespace annals::store {

/// A write transaction: what it writes is kept beside the committed data until the commit, and
/// found first when it reads. Used on its thread.
class MemoryTransaction final : public log::WriteTransaction, public log::AdminWriter {
 public:
  MemoryTransaction(std::shared_ptr<MemoryLog> log, FairGate::Hold hold);
  MemoryTransaction(const MemoryTransaction&) = delete;
  MemoryTransaction& operator=(const MemoryTransaction&) = delete;
  ~MemoryTransaction() override { rollback(); }

  Result<LogState> lock_state() override;
  Result<std::vector<std::optional<StreamHead>>> heads(
      std::span<const std::string> streams) override;
  Result<std::vector<std::optional<Record>>> find_ids(std::span<const Uuid> ids) override;
  Result<void> append(const core::Placement& placement) override;
  log::AdminWriter& admin() override { return *this; }
  log::SqlSession* sql() override { return nullptr; }
  Result<void> commit() override;
  void rollback() noexcept override;

  Result<std::vector<log::StoredKey>> keys() override;
  Result<void> put_key(const log::StoredKey& key) override;
  Result<log::StoredCatalogue> catalogue() override;
  Result<void> put_catalogue(const log::StoredCatalogue& catalogue) override;
  Result<void> set_frozen(bool frozen) override;
  Result<std::optional<log::StoredAnswer>> answer(const Uuid& key_id,
                                                  std::string_view idempotency_key) override;
  Result<void> put_answer(const log::StoredAnswer& answer) override;
  Result<std::optional<log::ClientMessage>> client_message(const Digest& digest) override;
  Result<void> put_client_message(const log::ClientMessage& message) override;
  Result<void> expire_requests(Timestamp time, std::size_t limit) override;

 private:
  /// What is written; `nullopt` where something is deleted.
  struct Changes {
    std::vector<Record> records;
    std::map<std::string, StreamHead, std::less<>> heads;
    std::vector<core::HashMark> marks;
    std::map<Uuid, log::StoredKey> keys;
    std::optional<log::StoredCatalogue> catalogue;
    std::optional<bool> frozen;
    std::map<std::pair<Uuid, std::string>, std::optional<log::StoredAnswer>> answers;
    std::map<Digest, std::optional<log::ClientMessage>> client_messages;
  };

  [[nodiscard]] Result<void> usable() const;
  Result<void> try_append(const core::Placement& placement);
  std::optional<StreamHead> head(const std::string& stream) const;
  std::optional<Record> find_id(const Uuid& id) const;
  static void apply(MemoryData& data, Changes changes);

  const std::shared_ptr<MemoryLog> log_;
  FairGate::Hold hold_;
  LogState state_;
  Changes changes_;
  bool over_ = false;
  bool failed_ = false;
};

}  // namespace annals::store
