#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace annals::server {

/// What a text in base64url without padding (RFC 4648, section 5) stands for; `nullopt` when it is
/// none. Strict: nothing but the alphabet, and no bits behind the last byte, so that no two texts
/// stand for the same bytes. Pure.
[[nodiscard]] std::optional<std::string> decode_base64url(std::string_view text);

}  // namespace annals::server
