#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annals::core {

/// True for the origin of a page as browsers send it: `https://app.example.com`,
/// `http://localhost:3000`, `http://[::1]:8080`. Scheme http or https, the host in lower case, the
/// port only when it is not the scheme's own, nothing behind it. Pure.
[[nodiscard]] bool is_origin(std::string_view text) noexcept;

/// Reads origins separated by commas, with or without spaces; an empty text lists none. `nullopt`
/// when one of them is none. Pure.
[[nodiscard]] std::optional<std::vector<std::string>> parse_origins(std::string_view list);

}  // namespace annals::core
