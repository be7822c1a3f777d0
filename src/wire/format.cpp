#include "wire/format.hpp"

namespace annals::wire {

Result<Format> parse_format(std::optional<std::string_view> text) {
  if (!text || *text == "envelope") return Format::envelope;
  if (*text == "payload") return Format::payload;
  return fail(ErrorCode::invalid_request, "format must be envelope or payload");
}

Result<void> append_event(std::string& out, const Record& record, Rendering rendering,
                          Format format) {
  if (format == Format::envelope) return append_envelope(out, record, rendering);
  out += payload_of(record);
  return {};
}

}  // namespace annals::wire
