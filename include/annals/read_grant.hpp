#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "annals/result.hpp"

namespace annals {

/// Which events a read grant covers.
enum class ReadArea : std::uint8_t {
  all,      ///< Every event, whatever its action and audience: an administrator.
  own,      ///< Events appended with the same key.
  space,    ///< Events of one `scope.space_id`.
  channel,  ///< Events of one `scope.channel_id`.
  stream,   ///< Events of streams whose name begins with a prefix.
  type,     ///< Events of a type, or of all below a prefix ending in `.*`.
};

/// Part of what a key may read: the events of an area that ask for one of some actions. Grants add
/// up; each stands for itself, its actions hold in its own area only. Plain value.
struct ReadGrant {
  ReadArea area = ReadArea::own;  ///< What is covered.
  std::string value;              ///< The id, prefix or pattern; empty for `all` and `own`.
  /// The values of `receive_action` it takes; empty for `all`, which takes every one.
  std::set<std::string, std::less<>> actions = {"read"};

  /// Everything: what an administrator reads.
  [[nodiscard]] static ReadGrant all();

  /// The holder's own events that ask for the action `read`.
  [[nodiscard]] static ReadGrant own();

  friend bool operator==(const ReadGrant&, const ReadGrant&) = default;
  friend auto operator<=>(const ReadGrant&, const ReadGrant&) = default;
};

/// What a key may read; empty: nothing.
using ReadGrants = std::set<ReadGrant>;

/// Most grants of one key.
inline constexpr std::size_t max_read_grants = 100;

/// Most actions of one grant.
inline constexpr std::size_t max_grant_actions = 16;

/// True when the grants hold `all`. Pure.
[[nodiscard]] bool reads_all(const ReadGrants& grants) noexcept;

/// The text form, `<area>[:<action>,...]`: `all`, `own`, `space=s1`, `channel=c1:notify,read`. The
/// actions are left out where the text is read as the action `read` without them. Pure.
[[nodiscard]] std::string to_string(const ReadGrant& grant);

/// Reads the text form. The actions stand behind the last colon, so a value with a colon in it
/// needs them written out: `stream=order::read`. Fails with `invalid_request`, naming the rule, for
/// an unknown area, a value that is missing, superfluous or breaks the rules of its member, an
/// action that is no name or is given twice, `self`, which an audience alone satisfies, actions
/// behind `all`, and more than `max_grant_actions`. Pure.
[[nodiscard]] Result<ReadGrant> parse_read_grant(std::string_view text);

}  // namespace annals
