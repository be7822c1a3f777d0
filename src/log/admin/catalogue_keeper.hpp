#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "annals/capability.hpp"
#include "annals/result.hpp"
#include "core/catalogue.hpp"
#include "log/append/request_preparer.hpp"
#include "log/ports/clock.hpp"
#include "log/ports/store.hpp"

namespace annals::log {

/// The catalogue in force: stored in the log, changed by an event, followed by every process. Keeps
/// the preparer's rules up to date. Thread-safe.
class CatalogueKeeper {
 public:
  /// Everything must outlive the keeper.
  CatalogueKeeper(Store& store, RequestPreparer& preparer, Clock& clock,
                  std::chrono::milliseconds write_timeout);

  /// Takes over what is stored, if it is newer than what is in force.
  Result<void> refresh();

  /// See `EventLog::apply_catalogue`.
  Result<bool> apply(const WriteCapability& by, std::string_view json);

  /// The empty catalogue before the first refresh.
  [[nodiscard]] std::shared_ptr<const core::Catalogue> current() const;

 private:
  Result<void> use(core::Catalogue catalogue, std::uint64_t version);

  Store& store_;
  RequestPreparer& preparer_;
  Clock& clock_;
  const std::chrono::milliseconds write_timeout_;

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::shared_ptr<const core::Catalogue> catalogue_ = std::make_shared<const core::Catalogue>();
  std::uint64_t version_ = 0;
  bool loaded_ = false;
};

}  // namespace annals::log
