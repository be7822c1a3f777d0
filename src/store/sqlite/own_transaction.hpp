#pragma once

#include "store/common/fair_gate.hpp"
#include "store/sqlite/application_sql.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/transaction.hpp"

namespace annals::store::sqlite {

class Writer;

/// A transaction on the writer's connection; holds the writer's gate until it is over. Used on its
/// thread; must not outlive the writer.
class OwnTransaction final : public Transaction {
 public:
  /// Takes over the write transaction that is open on the connection.
  OwnTransaction(Writer& writer, Connection& connection, FairGate::Hold hold, const Uuid& log_id);
  OwnTransaction(const OwnTransaction&) = delete;
  OwnTransaction& operator=(const OwnTransaction&) = delete;
  ~OwnTransaction() override;

  log::SqlSession* sql() override { return &application_; }
  Result<void> commit() override;
  void rollback() noexcept override { end(); }

 private:
  void end() noexcept;

  Writer& writer_;
  FairGate::Hold hold_;
  ApplicationSql application_;
};

}  // namespace annals::store::sqlite
