#pragma once

#include <cstdint>
#include <string>

#include "annals/digest.hpp"
#include "annals/time.hpp"
#include "annals/uuid.hpp"

namespace annals {

/// The one row that orders the log. Everything an append needs besides stream heads comes from
/// here, read under its lock.
struct LogState {
  Uuid log_id;                           ///< Fixed when the log is made.
  std::uint64_t incarnation = 1;         ///< Raised by a restore.
  std::uint64_t event_seq = 0;           ///< The head: highest seq committed, 0 in a new log.
  std::uint64_t permission_version = 0;  ///< Raised by every change of access.
  Timestamp last_recorded_at{};          ///< `recorded_at` of the head.
  Digest log_hash{};                     ///< After `event_seq`; 32 zero bytes in a new log.
  std::uint64_t oldest = 1;              ///< Lowest seq still retained.
  Digest base_log_hash{};                ///< After `oldest - 1`.
  Uuid local_key_id;                     ///< The reserved writer of open mode and `local_admin()`.
  bool frozen = false;                   ///< Appends are refused for a while.
  std::string moved_to;          ///< Not empty: this store was moved and refuses appends for ever.
  std::string backend_identity;  ///< What the backend says of itself, to notice a restored copy.

  friend bool operator==(const LogState&, const LogState&) = default;
};

}  // namespace annals
