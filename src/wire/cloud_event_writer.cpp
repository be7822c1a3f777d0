#include "wire/cloud_event_writer.hpp"

#include <algorithm>

#include "annals/time.hpp"
#include "annals/uuid.hpp"
#include "wire/query.hpp"
#include "wire/resource_subject.hpp"
#include "wire/text.hpp"

namespace annals::wire {

namespace {

/// What a path may hold beside what is never encoded: a source that is a path or a URI stays
/// readable.
constexpr std::string_view kept_in_path = "!$&'()*+,;=:@/";

/// Printable ASCII but for the space, `"` and `%`: what the HTTP binding leaves as it is.
constexpr std::string_view kept_in_field = "!#$&'()*+,/:;<=>?@[\\]^`{|}";

constexpr std::size_t sequence_digits = 20;

std::string source_of(const Header& header) {
  std::string out = "/logs/" + to_string(header.log_id);
  if (header.source) out += '/' + percent_encode(*header.source, kept_in_path);
  return out;
}

/// Of one width, so that the order of the texts is that of the numbers.
std::string sequence_of(std::uint64_t seq) {
  std::string digits;
  append_number(digits, seq);
  return std::string(sequence_digits - std::min(digits.size(), sequence_digits), '0') + digits;
}

/// Calls `text(name, value)` and `yes(name)` for each attribute that is present, but for
/// `datacontenttype`: its place depends on the mode.
template <typename Sink>
void visit_attributes(const CloudEventParts& event, Rendering rendering, Sink sink) {
  const Header& header = event.header;
  sink.text("specversion", "1.0");
  sink.text("id", to_string(header.id));
  sink.text("source", source_of(header));
  sink.text("type", header.type);
  sink.text("time", to_string(header.occurred_at));
  if (const auto subject = subject_of(header.resource)) sink.text("subject", *subject);
  sink.text("sequence", sequence_of(header.seq));
  if (header.stream) sink.text("partitionkey", *header.stream);
  sink.text("recordedtime", to_string(header.recorded_at));
  if (event.meta.trace_context && rendering == Rendering::privileged) {
    sink.text("traceparent", *event.meta.trace_context);
  }
  if (header.truncated) {
    sink.text("dataref", "/v1/events/" + to_string(header.id) + "?form=payload");
  }
  if (event.redacted) sink.yes("redacted");
}

struct JsonSink {
  std::string& out;

  void text(std::string_view name, std::string_view value) const {
    append_member(out, name, value);
  }
  void yes(std::string_view name) const { append_true(out, name); }
};

struct FieldSink {
  std::vector<CloudEventField>& out;

  void text(std::string_view name, std::string_view value) const {
    out.push_back({"ce-" + std::string{name}, percent_encode(value, kept_in_field)});
  }
  void yes(std::string_view name) const { text(name, "true"); }
};

}  // namespace

void append_cloud_event(std::string& out, const CloudEventParts& event, Rendering rendering) {
  out += '{';
  visit_attributes(event, rendering, JsonSink{out});
  append_member(out, "datacontenttype", "application/json");
  append_name(out, "data");
  out += event.payload;
  out += '}';
}

Result<void> append_cloud_event(std::string& out, const Record& record, Rendering rendering) {
  const auto meta = meta_of(record);
  if (!meta) return std::unexpected(meta.error());
  append_cloud_event(out, {record.header, *meta, payload_of(record), record.redacted()}, rendering);
  return {};
}

Result<std::string> cloud_event_batch(std::span<const Record> records, Rendering rendering) {
  std::string out = "[";
  for (const Record& record : records) {
    if (out.size() != 1) out += ',';
    if (auto appended = append_cloud_event(out, record, rendering); !appended) {
      return std::unexpected(appended.error());
    }
  }
  return out + ']';
}

Result<std::vector<CloudEventField>> cloud_event_fields(const Record& record, Rendering rendering) {
  const auto meta = meta_of(record);
  if (!meta) return std::unexpected(meta.error());
  std::vector<CloudEventField> out;
  visit_attributes({record.header, *meta, payload_of(record), record.redacted()}, rendering,
                   FieldSink{out});
  return out;
}

}  // namespace annals::wire
