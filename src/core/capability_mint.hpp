#pragma once

#include <string>
#include <string_view>

#include "annals/capability.hpp"
#include "annals/result.hpp"

namespace annals {

/// The only maker of write capabilities. Used by the log when it authenticates a key and for
/// `local_admin`; not installed.
class CapabilityMint {
 public:
  /// `allowed` must not be empty and every pattern must be valid; `invalid_request` otherwise.
  static Result<WriteCapability> mint(Uuid holder, AllowedTypes allowed, Timestamp now);
};

namespace core {

/// Reads `order.*,query.finished` or `*`: comma separated patterns. Duplicates, an empty set and
/// malformed patterns are refused with `invalid_request`.
[[nodiscard]] Result<AllowedTypes> parse_allowed_types(std::string_view text);

/// The patterns in order, comma separated.
[[nodiscard]] std::string to_string(const AllowedTypes& types);

/// `{"allowed_types":[...],"holder":"<uuid>","minted_at":"<time>"}`.
[[nodiscard]] std::string to_json(const WriteCapability& capability);

/// Reads what `to_json` writes; unknown members, duplicates (members and types), a missing member
/// and an empty set are refused with `invalid_request`.
[[nodiscard]] Result<WriteCapability> capability_from_json(std::string_view json);

}  // namespace core
}  // namespace annals
