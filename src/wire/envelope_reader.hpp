#pragma once

#include <optional>
#include <string_view>

#include "annals/envelope.hpp"
#include "core/json.hpp"

namespace annals::wire {

/// Reads what `append_envelope` writes. Members nobody knows are passed over, so that a newer
/// server can be read; `nullopt` when a member that is always there is missing, or one has another
/// form. `json` of the result is the text itself. Pure.
[[nodiscard]] std::optional<Envelope> read_envelope(std::string_view json);

/// The same for the next value of a reader, such as an element of a page; false when it is none.
[[nodiscard]] bool read_envelope(core::json::Reader& reader, Envelope& out);

}  // namespace annals::wire
