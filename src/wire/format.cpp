#include "wire/format.hpp"

#include "wire/cloud_event_writer.hpp"

namespace annals::wire {

Result<Format> parse_format(std::optional<std::string_view> text) {
  if (!text || *text == "envelope") return Format::envelope;
  if (*text == "payload") return Format::payload;
  if (*text == "cloudevents") return Format::cloudevents;
  return fail(ErrorCode::invalid_request, "format must be envelope, payload or cloudevents");
}

Result<void> append_event(std::string& out, const Record& record, Rendering rendering,
                          Format format) {
  switch (format) {
    case Format::envelope:
      return append_envelope(out, record, rendering);
    case Format::payload:
      out += payload_of(record);
      return {};
    case Format::cloudevents:
      return append_cloud_event(out, record, rendering);
  }
  return {};
}

}  // namespace annals::wire
