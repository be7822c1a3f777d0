#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "annals/event.hpp"

namespace annals::core {

/// True when `text` holds something like `name@host.example`. A heuristic for warnings: it reads
/// ASCII only and decides nothing.
[[nodiscard]] bool looks_like_mail_address(std::string_view text) noexcept;

/// Pointers of those header members that look like they hold a mail address. The header stays for
/// ever, so what is personal in it cannot be erased.
[[nodiscard]] std::vector<std::string> personal_header_members(
    const std::optional<std::string>& source, const std::optional<std::string>& stream,
    const Scope& scope, const Resource& resource);

}  // namespace annals::core
