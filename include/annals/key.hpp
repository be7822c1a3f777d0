#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "annals/capability.hpp"
#include "annals/time.hpp"
#include "annals/uuid.hpp"

namespace annals {

/// What a key may read.
enum class ReadGrant : std::uint8_t {
  none,
  own,  ///< Events appended with this key.
  all,  ///< Every event: an administrator.
};

/// `none`, `own`, `all`.
[[nodiscard]] std::string_view to_string(ReadGrant grant) noexcept;

/// Reads the names that `to_string` writes; anything else gives `nullopt`.
[[nodiscard]] std::optional<ReadGrant> parse_read_grant(std::string_view text) noexcept;

/// What a new key is to be.
struct NewKey {
  std::string name;                     ///< 1 to 200 bytes, unique among keys that are not revoked.
  AllowedTypes append;                  ///< Empty: may not append.
  ReadGrant read = ReadGrant::none;     ///< What it may read.
  std::optional<Timestamp> expires_at;  ///< From when on it is refused.

  friend bool operator==(const NewKey&, const NewKey&) = default;
};

/// A key as the log knows it. The secret itself is not kept.
struct Key {
  Uuid key_id;                          ///< Never reused; `key_id` of the events it appended.
  std::string name;                     ///< For people; stands nowhere but in the key's row.
  AllowedTypes append;                  ///< Types it may append; empty: none.
  ReadGrant read = ReadGrant::none;     ///< What it may read.
  Timestamp created_at;                 ///< When it was made.
  std::optional<Timestamp> expires_at;  ///< From when on it is refused.
  std::optional<Timestamp> revoked_at;  ///< Set: it is refused for ever.

  /// True when it may be used at `now`.
  [[nodiscard]] bool active(Timestamp now) const noexcept {
    return !revoked_at && (!expires_at || now < *expires_at);
  }

  friend bool operator==(const Key&, const Key&) = default;
};

/// A key just made. `secret` is shown once and cannot be read again.
struct CreatedKey {
  Key key;             ///< What was made.
  std::string secret;  ///< What a client presents.
};

}  // namespace annals
