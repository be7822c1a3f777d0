#include "annals/error.hpp"

namespace annals {

ErrorKind kind_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_event:
    case ErrorCode::invalid_request:
    case ErrorCode::invalid_cursor:
    case ErrorCode::invalid_filter:
    case ErrorCode::unknown_parameter:
    case ErrorCode::unit_open:
      return ErrorKind::invalid;
    case ErrorCode::not_authenticated:
    case ErrorCode::not_allowed:
      return ErrorKind::denied;
    case ErrorCode::not_found:
      return ErrorKind::not_found;
    case ErrorCode::version_conflict:
    case ErrorCode::id_conflict:
    case ErrorCode::partly_known:
    case ErrorCode::client_msg_id_conflict:
    case ErrorCode::blob_kind_conflict:
    case ErrorCode::idempotency_mismatch:
      return ErrorKind::conflict;
    case ErrorCode::resync_required:
      return ErrorKind::resync_required;
    case ErrorCode::too_large:
      return ErrorKind::too_large;
    case ErrorCode::rate_limited:
    case ErrorCode::busy:
    case ErrorCode::frozen:
    case ErrorCode::too_many_subscribers:
      return ErrorKind::busy;
    case ErrorCode::store_unavailable:
    case ErrorCode::commit_unknown:
      return ErrorKind::unavailable;
    case ErrorCode::store_full:
      return ErrorKind::full;
    case ErrorCode::store_corrupt:
      return ErrorKind::corrupt;
    case ErrorCode::internal:
      return ErrorKind::internal;
  }
  return ErrorKind::internal;
}

std::string_view to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_event:
      return "invalid_event";
    case ErrorCode::invalid_request:
      return "invalid_request";
    case ErrorCode::invalid_cursor:
      return "invalid_cursor";
    case ErrorCode::invalid_filter:
      return "invalid_filter";
    case ErrorCode::unknown_parameter:
      return "unknown_parameter";
    case ErrorCode::unit_open:
      return "unit_open";
    case ErrorCode::not_authenticated:
      return "not_authenticated";
    case ErrorCode::not_allowed:
      return "not_allowed";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::version_conflict:
      return "version_conflict";
    case ErrorCode::id_conflict:
      return "id_conflict";
    case ErrorCode::partly_known:
      return "partly_known";
    case ErrorCode::client_msg_id_conflict:
      return "client_msg_id_conflict";
    case ErrorCode::blob_kind_conflict:
      return "blob_kind_conflict";
    case ErrorCode::idempotency_mismatch:
      return "idempotency_mismatch";
    case ErrorCode::resync_required:
      return "resync_required";
    case ErrorCode::too_large:
      return "too_large";
    case ErrorCode::rate_limited:
      return "rate_limited";
    case ErrorCode::busy:
      return "busy";
    case ErrorCode::frozen:
      return "frozen";
    case ErrorCode::too_many_subscribers:
      return "too_many_subscribers";
    case ErrorCode::store_unavailable:
      return "store_unavailable";
    case ErrorCode::commit_unknown:
      return "commit_unknown";
    case ErrorCode::store_full:
      return "store_full";
    case ErrorCode::store_corrupt:
      return "store_corrupt";
    case ErrorCode::internal:
      return "internal";
  }
  return "internal";
}

std::string_view to_string(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::invalid:
      return "invalid";
    case ErrorKind::denied:
      return "denied";
    case ErrorKind::not_found:
      return "not_found";
    case ErrorKind::conflict:
      return "conflict";
    case ErrorKind::resync_required:
      return "resync_required";
    case ErrorKind::too_large:
      return "too_large";
    case ErrorKind::busy:
      return "busy";
    case ErrorKind::unavailable:
      return "unavailable";
    case ErrorKind::full:
      return "full";
    case ErrorKind::corrupt:
      return "corrupt";
    case ErrorKind::internal:
      return "internal";
  }
  return "internal";
}

}  // namespace annals
