#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "annals/capability.hpp"
#include "annals/options.hpp"
#include "annals/result.hpp"
#include "core/validate.hpp"
#include "log/append/append_request.hpp"
#include "log/ports/clock.hpp"
#include "log/ports/ids.hpp"

namespace annals::log {

/// Turns what a caller hands in into an AppendRequest, on the caller's thread: everything that can
/// be refused without touching the store is refused here, and salts, ids and part digests are made
/// here so that the committer has little left to do. Thread-safe.
class RequestPreparer {
 public:
  RequestPreparer(LogOptions options, std::shared_ptr<Clock> clock, std::shared_ptr<Ids> ids);

  /// Applies a catalogue from now on. `invalid_request` when the type pattern of the options is not
  /// a regular expression; then the previous rules stay.
  Result<void> use_catalogue(std::shared_ptr<const core::Catalogue> catalogue);

  /// The rules in force; null before the first `use_catalogue`.
  [[nodiscard]] std::shared_ptr<const core::EventRules> rules() const;

  /// Checks a producer's request. In order: `not_allowed` by the capability, `invalid_request` or
  /// `too_large` for the request as a whole, `invalid_event` with all violations of all events.
  Result<AppendRequest> prepare(const WriteCapability& capability, std::vector<NewEvent> events,
                                AppendOptions options) const;

  /// Makes an event of the log's own; `internal` when it breaks a rule, which is a defect.
  Result<core::Draft> prepare_own(const Uuid& key_id, const NewEvent& event) const;

 private:
  Result<void> check_request(const std::vector<NewEvent>& events,
                             const AppendOptions& options) const;
  core::Draft draft_of(core::ValidEvent event, const Uuid& key_id, Timestamp now) const;

  LogOptions options_;
  std::shared_ptr<Clock> clock_;
  std::shared_ptr<Ids> ids_;

  mutable std::mutex mutex_;
  std::shared_ptr<const core::EventRules> rules_;  ///< Guarded by mutex_.
};

}  // namespace annals::log
