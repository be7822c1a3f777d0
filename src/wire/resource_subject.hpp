#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "annals/event.hpp"

namespace annals::wire {

/// A resource as the `subject` of a CloudEvent: `kind/id`, where `%` and `/` in the kind are
/// percent-encoded and a missing id leaves the text behind the slash empty. Absent for the kind
/// `event` without an id, which names nothing. The version has no place in it. Pure.
[[nodiscard]] std::optional<std::string> subject_of(const Resource& resource);

/// Reads what `subject_of` writes; `nullopt` for a text without a slash, without a kind, or with a
/// percent sign in the kind that no two hex digits follow. Pure.
[[nodiscard]] std::optional<Resource> parse_subject(std::string_view subject);

}  // namespace annals::wire
