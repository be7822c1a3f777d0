#pragma once

#include <optional>
#include <string>

#include "annals/read_grant.hpp"
#include "annals/record.hpp"
#include "annals/uuid.hpp"

namespace annals::core {

/// Who reads, as far as its rights go. Plain value.
struct Reader {
  ReadGrants grants;                     ///< What it may read; empty: nothing.
  Uuid key_id;                           ///< What `own` refers to.
  std::optional<std::string> principal;  ///< Whom it stands for; absent: it is nobody's audience.

  friend bool operator==(const Reader&, const Reader&) = default;
};

/// Whether a reader may see an event: the one rule, for replay and live alike. With the grant `all`
/// it sees everything. Otherwise an event with an audience is for that principal only, and one
/// grant must cover the event's area and list its `receive_action`; the action `self` needs no
/// grant but the audience. `audience` is that of the event's meta part; when the part was erased,
/// or cannot be read, pass none: `header.is_private` keeps the event from everybody but `all`.
/// Pure; never throws.
[[nodiscard]] bool sees(const Reader& reader, const Header& header,
                        const std::optional<std::string>& audience) noexcept;

/// The same over a record, whose meta part is parsed only where the audience decides.
[[nodiscard]] bool sees(const Reader& reader, const Record& record);

}  // namespace annals::core
