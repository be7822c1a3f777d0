#include "store/sqlite/own_transaction.hpp"

#include <sqlite3.h>

#include "store/sqlite/statements.hpp"
#include "store/sqlite/writer.hpp"

namespace annals::store::sqlite {

OwnTransaction::OwnTransaction(Writer& writer, Connection& connection, FairGate::Hold hold,
                               const Uuid& log_id)
    : Transaction(connection.statements(), log_id),
      writer_(writer),
      hold_(std::move(hold)),
      application_(connection, status()) {}

OwnTransaction::~OwnTransaction() {
  end();
}

Result<void> OwnTransaction::commit() {
  if (auto may = status().committable(); !may) return may;
  auto committed = statements().run(commit_transaction);
  if (!committed) {
    auto error = committed.error();
    // A disk that is full at a write stops before the frame that would make the commit valid.
    // Elsewhere (the shared memory of the log) "full" says nothing about what was written before.
    const bool nothing_valid =
        sqlite3_extended_errcode(writer_.connection_->database().get()) == SQLITE_FULL;
    (void)statements().run(rollback_transaction);
    if (!nothing_valid) committed = writer_.settle(std::move(error), after());
  }
  status().set_over();
  if (committed && after()) writer_.changes_.notify(after()->event_seq);
  hold_.release();
  return committed;
}

void OwnTransaction::end() noexcept {
  if (status().is_over()) return;
  status().set_over();
  // Fails when SQLite has rolled back by itself, which is what is wanted.
  (void)statements().run(rollback_transaction);
  if (status().spoiled()) writer_.distrust();
  hold_.release();
}

}  // namespace annals::store::sqlite
