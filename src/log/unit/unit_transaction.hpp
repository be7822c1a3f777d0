#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

#include "annals/result.hpp"
#include "log/ports/store.hpp"

namespace annals::log {

/// The write transaction of a unit of work, shared by the unit and the watchdog that ends it when
/// it lasts too long. Every use goes through `with`, one at a time. Thread-safe.
class UnitTransaction {
 public:
  UnitTransaction(std::unique_ptr<WriteTransaction> transaction,
                  std::chrono::steady_clock::time_point deadline);

  /// Runs `use` on the open transaction; `busy` after the deadline, `invalid_request` once it has
  /// ended otherwise.
  template <typename Use>
  auto with(Use use) -> decltype(use(std::declval<WriteTransaction&>())) {
    const std::lock_guard lock(mutex_);
    if (auto usable = check_usable(); !usable) return std::unexpected(std::move(usable).error());
    return use(*transaction_);
  }

  /// Commits and ends it.
  Result<void> commit();

  /// Ends it without a trace. Idempotent.
  void rollback() noexcept;

  /// Rolls back when the deadline has passed. For the watchdog.
  void expire(std::chrono::steady_clock::time_point now) noexcept;

  [[nodiscard]] std::chrono::steady_clock::time_point deadline() const noexcept {
    return deadline_;
  }

 private:
  Result<void> check_usable();

  const std::chrono::steady_clock::time_point deadline_;
  std::mutex mutex_;
  std::unique_ptr<WriteTransaction> transaction_;  ///< Guarded by mutex_; null once ended.
  bool expired_ = false;                           ///< Guarded by mutex_.
};

}  // namespace annals::log
