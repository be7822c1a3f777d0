#pragma once

#include <optional>
#include <vector>

#include "log/ports/admin_store.hpp"
#include "store/sqlite/handle.hpp"
#include "store/sqlite/transaction_status.hpp"

namespace annals::store::sqlite {

// Reads of the administration's tables; those that take several statements want a transaction.

Result<std::vector<log::StoredKey>> load_keys(Statements& statements);
Result<std::optional<log::StoredKey>> load_key(Statements& statements, const Uuid& key_id);
Result<log::StoredCatalogue> load_catalogue(Statements& statements);

/// Administration in the transaction that is open on a connection. Used on its thread; must not
/// outlive it.
class AdminTables final : public log::AdminWriter {
 public:
  AdminTables(Statements& statements, TransactionStatus& status) noexcept
      : statements_(statements),
        status_(status) {}

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
  Statements& statements_;
  TransactionStatus& status_;
};

}  // namespace annals::store::sqlite
