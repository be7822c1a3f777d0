#pragma once

#include <memory>
#include <string_view>

#include "annals/open.hpp"
#include "annals/result.hpp"
#include "log/ports/store.hpp"

namespace annals {

/// The store behind a URL, not yet opened: `sqlite:<path>` or `memory:`. No I/O. `invalid_request`
/// for anything else.
[[nodiscard]] Result<std::unique_ptr<log::Store>> make_store(std::string_view url,
                                                             const OpenOptions& options);

}  // namespace annals
