#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
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

  /// See `EventLog::find_subject`.
  Result<std::optional<Identity>> find_subject(std::string_view subject, const AllowedTypes& types);

  /// See `EventLog::admit_subject`.
  Result<Identity> admit_subject(const WriteCapability& by, std::string_view subject,
                                 const AllowedTypes& types);

  static constexpr std::chrono::milliseconds recheck_interval{100};

 private:
  struct Keys {
    std::unordered_map<Uuid, StoredKey> by_id;
    std::unordered_map<std::string, Uuid> subjects;  ///< The newest of each name of a subject.
  };

  Result<void> check_administrator(const WriteCapability& by) const;
  /// A key that no secret matches, for the subject of this name.
  [[nodiscard]] StoredKey make_subject_key(std::string_view name) const;
  /// The keys in force, re-read when permission_version has changed, which is looked at when that
  /// was last done longer than `max_age` ago.
  Result<std::shared_ptr<const Keys>> current_keys(
      std::chrono::milliseconds max_age = recheck_interval);
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
