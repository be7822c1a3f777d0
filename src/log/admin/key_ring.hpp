#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "annals/event_log.hpp"
#include "annals/key.hpp"
#include "annals/result.hpp"
#include "log/append/request_preparer.hpp"
#include "log/ports/clock.hpp"
#include "log/ports/ids.hpp"
#include "log/ports/store.hpp"

namespace annals::log {

/// The API keys of a log. Creating, changing and revoking are events in the stream `$access` and
/// raise permission_version, in one transaction with the key's row. Thread-safe.
class KeyRing {
 public:
  /// Everything must outlive the ring.
  KeyRing(Store& store, const RequestPreparer& preparer, Clock& clock, Ids& ids,
          std::chrono::milliseconds write_timeout);

  /// `not_allowed` unless `by` is the local administrator; `invalid_request` for a bad name or
  /// principal, an expiry in the past, bad patterns, grants or
  /// ranges, more of them than the limits, or the name of an active key.
  Result<CreatedKey> create(const WriteCapability& by, NewKey key);

  /// `not_found` when no active key has this name or id.
  Result<Key> revoke(const WriteCapability& by, std::string_view name_or_id);

  /// See `EventLog::change_key`; errors as for `create` and `revoke`.
  Result<Key> change(const WriteCapability& by, std::string_view name_or_id, KeyChange change);

  Result<std::vector<Key>> list() const;

  /// See `EventLog::authenticate`. A change made by another process is noticed within
  /// `recheck_interval`.
  Result<Identity> authenticate(std::string_view secret);

  static constexpr std::chrono::milliseconds recheck_interval{100};

 private:
  using Keys = std::unordered_map<Uuid, StoredKey>;

  Result<void> check_administrator(const WriteCapability& by) const;
  /// The keys in force, re-read when permission_version has changed.
  Result<std::shared_ptr<const Keys>> current_keys();
  /// Makes a change of this process take effect at once.
  void forget_keys();

  Store& store_;
  const RequestPreparer& preparer_;
  Clock& clock_;
  Ids& ids_;
  const std::chrono::milliseconds write_timeout_;

  std::mutex mutex_;
  // Guarded by mutex_.
  std::shared_ptr<const Keys> keys_;
  std::uint64_t keys_version_ = 0;  ///< permission_version that keys_ belongs to.
  std::chrono::steady_clock::time_point checked_at_;
};

}  // namespace annals::log
