#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "annals/record.hpp"
#include "annals/result.hpp"
#include "wire/envelope.hpp"

namespace annals::wire {

/// Media types of CloudEvents in JSON: one event, and an array of them.
inline constexpr std::string_view cloud_event_type = "application/cloudevents+json";
inline constexpr std::string_view cloud_event_batch_type = "application/cloudevents-batch+json";

/// What a CloudEvent is made of, for those who have no whole record at hand. Refers to its parts.
struct CloudEventParts {
  const Header& header;
  const Meta& meta;
  std::string_view payload;  ///< `{}` when erased.
  bool redacted = false;     ///< A part was erased.
};

/// Appends an event as a CloudEvent 1.0 in structured mode: a JSON object on one line. `id`, `type`
/// and `time` are the event's; `source` is `/logs/<log_id>` with the event's own behind it,
/// percent-encoded; `subject` is the resource. Extension attributes: `sequence`, `recordedtime`,
/// `partitionkey` (the stream), `traceparent` (privileged renderings only), `dataref` (where the
/// payload is, when it is truncated), `redacted` (true, when a part was erased). Pure.
void append_cloud_event(std::string& out, const CloudEventParts& event, Rendering rendering);

/// The same for a record. Fails as `append_envelope` does.
[[nodiscard]] Result<void> append_cloud_event(std::string& out, const Record& record,
                                              Rendering rendering);

/// The array of the batch format. Fails as `append_envelope` does.
[[nodiscard]] Result<std::string> cloud_event_batch(std::span<const Record> records,
                                                    Rendering rendering);

/// One field of the head of an HTTP message.
struct CloudEventField {
  std::string name;   ///< `ce-` and the name of the attribute.
  std::string value;  ///< Percent-encoded as the HTTP binding says: printable ASCII.

  friend bool operator==(const CloudEventField&, const CloudEventField&) = default;
};

/// The attributes of an event in binary mode; the body beside them is its payload, of the type
/// `application/json`. Fails as `append_envelope` does.
[[nodiscard]] Result<std::vector<CloudEventField>> cloud_event_fields(const Record& record,
                                                                      Rendering rendering);

}  // namespace annals::wire
