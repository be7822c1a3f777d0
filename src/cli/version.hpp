#pragma once

#include <string_view>

namespace annals::cli {

/// The version of the program, `MAJOR.MINOR.PATCH`.
[[nodiscard]] std::string_view program_version() noexcept;

}  // namespace annals::cli
