#pragma once

#include <optional>
#include <string_view>

#include "annals/filter.hpp"
#include "annals/record.hpp"
#include "annals/result.hpp"
#include "core/catalogue.hpp"

namespace annals::core {

/// Sets one parameter of a query string. `label.<name>` and the bare names of labels that the
/// catalogue declares as filters are understood. Errors: `invalid_filter` naming the parameter for
/// a malformed value or a repeated parameter; `unknown_parameter`.
[[nodiscard]] Result<void> set_filter(Filter& filter, std::string_view name, std::string_view value,
                                      const Catalogue& catalogue);

/// Reads the value of `Filter::actor`, `kind/id` or `system`; `nullopt` when it is neither.
[[nodiscard]] std::optional<Actor> parse_actor(std::string_view value);

/// True when the record matches. Filters on erased members never match.
[[nodiscard]] bool matches(const Filter& filter, const Record& record);

}  // namespace annals::core
