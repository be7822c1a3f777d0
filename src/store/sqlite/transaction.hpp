#pragma once

#include <optional>

#include "log/ports/store.hpp"
#include "store/sqlite/admin_tables.hpp"
#include "store/sqlite/handle.hpp"
#include "store/sqlite/transaction_status.hpp"

namespace annals::store::sqlite {

/// The log's part of a write transaction, whoever's connection it is. Used on its thread; must not
/// outlive the connection.
class Transaction : public log::WriteTransaction {
 public:
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() override = default;

  Result<LogState> lock_state() override;
  Result<std::vector<std::optional<StreamHead>>> heads(
      std::span<const std::string> streams) override;
  Result<std::vector<std::optional<Record>>> find_ids(std::span<const Uuid> ids) override;
  Result<void> append(const core::Placement& placement) override;
  log::AdminWriter& admin() override { return admin_; }

 protected:
  /// A write transaction is open on the connection of `statements`.
  Transaction(Statements& statements, const Uuid& log_id)
      : statements_(statements),
        log_id_(log_id),
        admin_(statements, status_) {}

  Statements& statements() noexcept { return statements_; }
  TransactionStatus& status() noexcept { return status_; }

  /// The state that the transaction leaves, when it appended.
  [[nodiscard]] const std::optional<LogState>& after() const noexcept { return after_; }

 private:
  Statements& statements_;
  const Uuid log_id_;
  TransactionStatus status_;
  AdminTables admin_;
  std::optional<LogState> after_;
};

}  // namespace annals::store::sqlite
