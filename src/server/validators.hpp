#pragma once

#include <span>
#include <string>
#include <string_view>

#include "annals/record.hpp"
#include "server/message.hpp"
#include "wire/answers.hpp"
#include "wire/envelope.hpp"

namespace annals::server {

/// The entity tag of one event in the rendering named `form`: changes exactly when the answer does,
/// that is when a part of the event is erased.
[[nodiscard]] std::string event_tag(const Record& record, wire::Rendering rendering,
                                    std::string_view form);

/// The entity tag of a page in the form named `form` that no later event can change; weak, since
/// its counters go on. Empty for a page that reaches the head.
[[nodiscard]] std::string page_tag(std::span<const Record> records, wire::Rendering rendering,
                                   std::string_view form, const wire::PageEnd& end);

/// True when the value of an `If-None-Match` names `tag`, compared weakly. False for an empty tag.
[[nodiscard]] bool not_modified(std::string_view if_none_match, std::string_view tag);

/// Adds the fields of an answer that may be kept and has to be asked for again: `ETag`,
/// `Cache-Control`, and `Vary`, since `Accept` chooses between forms. Nothing for an empty tag.
void add_validator(Response& response, std::string tag);

/// The answer 304 for `tag`.
[[nodiscard]] Response unchanged(std::string tag);

}  // namespace annals::server
