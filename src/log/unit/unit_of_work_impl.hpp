#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "annals/capability.hpp"
#include "annals/options.hpp"
#include "annals/unit_of_work.hpp"
#include "log/append/append_request.hpp"
#include "log/append/request_preparer.hpp"
#include "log/ports/clock.hpp"
#include "log/unit/unit_hooks.hpp"
#include "log/unit/unit_transaction.hpp"

namespace annals {

/// What a unit of work needs of its log; all of it outlives the unit.
struct UnitEnvironment {
  log::Store& store;
  const log::RequestPreparer& preparer;
  log::Clock& clock;
  const LogOptions& options;
  const log::UnitHooks& hooks;
};

/// State and phases of one unit of work.
class UnitOfWork::Impl {
 public:
  /// `open_mark` keeps the beginning thread marked as having a unit open.
  Impl(UnitEnvironment environment, WriteCapability capability,
       std::shared_ptr<log::UnitTransaction> transaction, std::shared_ptr<const void> open_mark);

  Result<std::uint64_t> execute(std::string_view sql, std::span<const SqlValue> parameters,
                                SqlRows* rows);
  Result<Uuid> append(NewEvent event);
  Result<void> expect(std::string stream, ExpectedVersion expected);
  Result<AppendResult> commit(UnitOfWork& self);
  void rollback() noexcept;

  [[nodiscard]] UnitPhase phase() const noexcept { return phase_; }
  [[nodiscard]] const std::vector<AppendedEvent>& appended() const noexcept {
    return result_.events;
  }

 private:
  Result<void> check_appendable() const;
  Result<void> run_phases(UnitOfWork& self);
  Result<void> run_hooks(UnitPhase phase, UnitOfWork& self);
  Result<void> run_audit(UnitOfWork& self);
  /// The sync step: lock, number, hash, write.
  Result<void> sequence();
  Result<AppendResult> finish();

  UnitEnvironment environment_;
  WriteCapability capability_;
  std::shared_ptr<log::UnitTransaction> transaction_;
  std::shared_ptr<const void> open_mark_;
  UnitPhase phase_ = UnitPhase::work;
  bool committing_ = false;
  log::AppendRequest request_;
  std::unordered_set<Uuid> given_ids_;
  AppendResult result_;
};

}  // namespace annals
