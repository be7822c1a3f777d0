#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "annals/result.hpp"

namespace annals::wire {

/// True when the first token of `text` opens an array.
[[nodiscard]] bool is_array(std::string_view text) noexcept;

/// The texts of the elements of a JSON array, told apart by brackets and quotes only: what stands
/// in an element is not checked, and may be empty or anything else. `text` must outlive them.
/// Errors: `invalid_request` when the array is not closed or something follows it; `too_large`
/// (`request_max_events`) for more than `max_elements`. No recursion.
[[nodiscard]] Result<std::vector<std::string_view>> split_array(std::string_view text,
                                                                std::size_t max_elements);

}  // namespace annals::wire
