#include "log/unit/unit_transaction.hpp"

#include <utility>

namespace annals::log {

UnitTransaction::UnitTransaction(std::unique_ptr<WriteTransaction> transaction,
                                 std::chrono::steady_clock::time_point deadline)
    : deadline_(deadline),
      transaction_(std::move(transaction)) {}

Result<void> UnitTransaction::check_usable() {
  if (transaction_ && std::chrono::steady_clock::now() >= deadline_) {
    transaction_.reset();
    expired_ = true;
  }
  if (expired_) {
    return fail(ErrorCode::busy, "the unit lasted longer than unit.max_duration; rolled back");
  }
  if (!transaction_) return fail(ErrorCode::invalid_request, "the unit has ended");
  return {};
}

Result<void> UnitTransaction::commit() {
  const std::lock_guard lock(mutex_);
  if (auto usable = check_usable(); !usable) return usable;
  auto committed = transaction_->commit();
  transaction_.reset();
  return committed;
}

void UnitTransaction::rollback() noexcept {
  const std::lock_guard lock(mutex_);
  transaction_.reset();
}

void UnitTransaction::expire(std::chrono::steady_clock::time_point now) noexcept {
  const std::lock_guard lock(mutex_);
  if (!transaction_ || now < deadline_) return;
  transaction_.reset();
  expired_ = true;
}

}  // namespace annals::log
