#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "annals/append.hpp"
#include "annals/error.hpp"
#include "annals/result.hpp"
#include "wire/event_reader.hpp"

namespace annals::wire {

/// Reads one CloudEvent 1.0 in structured mode. `id` (a UUID), `source` and `type` are required;
/// `time` becomes `occurred_at`, `subject` (`kind/id`) the resource, `partitionkey` the stream,
/// `data` (an object) the payload; `traceparent` stands beside the event. Everything else is
/// appended to `violations` by its name: `assigned_by_log` for what the log itself says of an
/// event, `unknown_attribute` for the rest. An attribute that is null counts as absent. Pure.
[[nodiscard]] IncomingEvent read_cloud_event(std::string_view json, std::size_t index,
                                             std::vector<Violation>& violations);

/// Reads a body of one CloudEvent. Errors: `invalid_request` for an empty body and for an array.
/// Pure.
[[nodiscard]] Result<IncomingRequest> read_cloud_event_request(std::string_view body);

/// Reads a body in the batch format. Errors: those of `read_request`; `invalid_request` for
/// anything but an array. Pure.
[[nodiscard]] Result<IncomingRequest> read_cloud_event_batch(std::string_view body,
                                                             std::size_t max_events);

/// An attribute in the head of a request: its name without `ce-`, its value as sent.
using AttributeField = std::pair<std::string_view, std::string_view>;

/// Reads one CloudEvent in binary mode: attributes from the head, `data` from the body, which may
/// be empty. Otherwise as `read_cloud_event`. Pure.
[[nodiscard]] IncomingRequest read_binary_cloud_event(std::span<const AttributeField> attributes,
                                                      std::string_view body);

/// The pointer of a member of an event, as the producer of a CloudEvent knows it: `/payload/a` is
/// `/data/a`. Pure.
[[nodiscard]] std::string attribute_pointer(std::string_view pointer);

/// Names the members that the log's answer to an append is about, violations and warnings, as
/// `attribute_pointer` does.
void name_attributes(Result<AppendResult>& result);

}  // namespace annals::wire
