#pragma once

#include <expected>
#include <string>
#include <utility>

#include "annals/error.hpp"

namespace annals {

/// A value, or a typed error. What can happen in operation is a Result; exceptions are for defects.
template <typename T>
using Result = std::expected<T, Error>;

/// Makes a failed Result of any type: `return fail(ErrorCode::not_found, "no event 42");`
[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string detail) {
  return std::unexpected(Error{code, std::move(detail), {}, {}});
}

}  // namespace annals
