#pragma once

#include <string>

namespace annals::server {

/// The route table as the reference page `docs/http-reference.md`: Markdown. Pure.
[[nodiscard]] std::string reference_page();

}  // namespace annals::server
