#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "annals/record.hpp"
#include "annals/result.hpp"
#include "wire/envelope.hpp"

namespace annals::wire {

/// What of an event a reader asks for, with `format=`.
enum class Format : std::uint8_t {
  envelope,     ///< Everything, as `append_envelope` writes it.
  payload,      ///< The producer's object alone; `{}` when it was erased.
  cloudevents,  ///< As `append_cloud_event` writes it.
};

/// How many formats there are.
inline constexpr std::size_t formats = 3;

/// Reads the value of `format`; absent: the envelope. Errors: `invalid_request` for any other text.
/// Pure.
[[nodiscard]] Result<Format> parse_format(std::optional<std::string_view> text);

/// Appends an event in the format asked for, on one line. Errors: those of `append_envelope`. Pure.
[[nodiscard]] Result<void> append_event(std::string& out, const Record& record, Rendering rendering,
                                        Format format);

}  // namespace annals::wire
