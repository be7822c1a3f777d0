#pragma once

#include <string_view>

namespace annals::store::sqlite {

/// Prefix of every table, index and trigger of the log; names are compared without case.
inline constexpr char reserved_prefix[] = "annals_";

/// Why a statement of the application may not do something, or an empty text when it may. The
/// arguments are those of SQLite's authorizer; missing ones are null. Pure.
[[nodiscard]] std::string_view application_may_not(int action, const char* first,
                                                   const char* second) noexcept;

}  // namespace annals::store::sqlite
