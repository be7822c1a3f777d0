#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "annals/filter.hpp"
#include "annals/record.hpp"
#include "annals/result.hpp"
#include "core/catalogue.hpp"

namespace annals::core {

/// What the value of a filter looks like.
enum class FilterForm : std::uint8_t {
  text,   ///< 1 to 200 bytes, compared exactly.
  type,   ///< A type, or a prefix ending in `.*`.
  actor,  ///< `kind/id`, or `system`.
  uuid,   ///< A UUID.
  time,   ///< RFC 3339.
};

/// One parameter of a query string that narrows a read. Plain value.
struct FilterParameter {
  std::string_view name;
  FilterForm form = FilterForm::text;
  std::string_view description;  ///< One line for a reference.
};

/// All of them but the labels. Constant.
[[nodiscard]] std::span<const FilterParameter> filter_parameters() noexcept;

/// Sets one parameter of a query string. `label.<name>` and the bare names of labels that the
/// catalogue declares as filters are understood. Errors: `invalid_filter` naming the parameter for
/// a malformed value or a repeated parameter; `unknown_parameter`.
[[nodiscard]] Result<void> set_filter(Filter& filter, std::string_view name, std::string_view value,
                                      const Catalogue& catalogue);

/// Reads the value of `Filter::actor`, `kind/id` or `system`; `nullopt` when it is neither.
[[nodiscard]] std::optional<Actor> parse_actor(std::string_view value);

/// True when the record matches. Filters on erased members never match.
[[nodiscard]] bool matches(const Filter& filter, const Record& record);

/// The same for a record whose meta part was read before; null when it is empty or was erased.
[[nodiscard]] bool matches(const Filter& filter, const Header& header, const Meta* meta);

}  // namespace annals::core
