#pragma once

#include <cstddef>
#include <cstdint>

#include "annals/result.hpp"
#include "core/validate.hpp"
#include "server/message.hpp"
#include "wire/event_reader.hpp"

namespace annals::server {

/// What the body of an append is.
enum class AppendForm : std::uint8_t {
  events,              ///< One event or an array, as JSON.
  lines,               ///< NDJSON.
  cloud_event,         ///< One CloudEvent, structured.
  cloud_event_batch,   ///< An array of them.
  binary_cloud_event,  ///< The data of one; its attributes are in the head.
  unknown,             ///< Nothing that is taken.
};

/// The form that the head of a request says: by its `Content-Type`, and `ce-` fields for binary
/// mode.
[[nodiscard]] AppendForm append_form_of(const Request& request);

/// True for every form of a CloudEvent.
[[nodiscard]] bool is_cloud_event(AppendForm form) noexcept;

/// Reads a body that is there whole: any form but `lines` and `unknown`. Errors: those of the
/// reader of the form, and `invalid_event` with all that is wrong, named as the producer names it.
/// Pure.
[[nodiscard]] Result<wire::IncomingRequest> read_append_body(const Request& request,
                                                             AppendForm form,
                                                             std::size_t max_events,
                                                             const core::EventRules& rules);

}  // namespace annals::server
