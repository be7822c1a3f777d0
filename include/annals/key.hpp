#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "annals/address_range.hpp"
#include "annals/capability.hpp"
#include "annals/read_grant.hpp"
#include "annals/time.hpp"
#include "annals/uuid.hpp"

namespace annals {

/// How the names of keys begin that belong to subjects of tokens, such as `jwt:alex`. They are made
/// by `EventLog::admit_subject` only; what such a subject may do stands in its tokens.
inline constexpr std::string_view subject_key_prefix = "jwt:";

/// What a new key is to be.
struct NewKey {
  /// 1 to 200 bytes, unique among keys that are not revoked; does not begin with `jwt:`.
  std::string name;
  AllowedTypes append;                  ///< Empty: may not append.
  ReadGrants read;                      ///< What it may read; empty: nothing.
  std::optional<Timestamp> expires_at;  ///< From when on it is refused.
  /// Whom it stands for, such as `user/42`: 1 to 200 bytes. Events with this `audience` are its.
  std::optional<std::string> principal;
  AddressRanges from;  ///< Where it may be used from; empty: anywhere.

  friend bool operator==(const NewKey&, const NewKey&) = default;
};

/// What is to be different about a key. What is absent stays as it is.
struct KeyChange {
  std::optional<AllowedTypes> append;                   ///< Empty: may not append any more.
  std::optional<ReadGrants> read;                       ///< Empty: reads nothing any more.
  std::optional<std::optional<Timestamp>> expires_at;   ///< Without a time: never.
  std::optional<std::optional<std::string>> principal;  ///< Without a text: nobody.
  std::optional<AddressRanges> from;                    ///< Empty: from anywhere.

  friend bool operator==(const KeyChange&, const KeyChange&) = default;
};

/// A key as the log knows it. The secret itself is not kept.
struct Key {
  Uuid key_id;                           ///< Never reused; `key_id` of the events it appended.
  std::string name;                      ///< For people; stands nowhere but in the key's row.
  AllowedTypes append;                   ///< Types it may append; empty: none.
  ReadGrants read;                       ///< What it may read; empty: nothing.
  Timestamp created_at;                  ///< When it was made.
  std::optional<Timestamp> expires_at;   ///< From when on it is refused.
  std::optional<Timestamp> revoked_at;   ///< Set: it is refused for ever.
  std::optional<std::string> principal;  ///< Whom it stands for; in the key's row only.
  AddressRanges from;                    ///< Where it may be used from; empty: anywhere.

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
