#include "wire/cloud_event_reader.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <optional>
#include <variant>

#include "core/json.hpp"
#include "core/trace_context.hpp"
#include "wire/json_split.hpp"
#include "wire/member_reader.hpp"
#include "wire/query.hpp"
#include "wire/resource_subject.hpp"

namespace annals::wire {

namespace {

using core::json::Reader;
using core::json::Type;

void take_spec_version(std::string_view text, const Place& place) {
  if (text != "1.0") place.violate("enum", "must be 1.0");
}

/// Only what is written again on the way out is taken: nothing else may get lost.
void take_content_type(std::string_view text, const Place& place) {
  std::string plain;
  for (const char c : text) {
    if (c != ' ') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  }
  if (plain == "application/json" || plain == "application/json;charset=utf-8") return;
  place.violate("enum", "must be application/json, in UTF-8");
}

void take_subject(std::string_view text, Resource& out, const Place& place) {
  if (auto resource = parse_subject(text)) {
    out = std::move(*resource);
  } else {
    place.violate("subject",
                  "must be the kind of a resource, a slash and its id, with % and / of the kind "
                  "percent-encoded");
  }
}

void take_trace(std::string_view text, std::optional<std::string>& out, const Place& place) {
  if (core::parse_traceparent(text)) {
    out = text;
  } else {
    place.violate("traceparent", "must be a traceparent of W3C trace context");
  }
}

void refuse_assigned(std::string_view /*text*/, IncomingEvent& /*event*/, const Place& place) {
  place.violate("assigned_by_log", "the log itself says this of an event");
}

struct Attribute {
  std::string_view name;
  bool required;
  void (*take)(std::string_view text, IncomingEvent& event, const Place& place);
};

/// What has a place in an event, and what the log writes there itself.
constexpr auto attributes = std::to_array<Attribute>({
    {"specversion", true,
     [](std::string_view t, IncomingEvent&, const Place& p) { take_spec_version(t, p); }},
    {"id", true,
     [](std::string_view t, IncomingEvent& e, const Place& p) { take_uuid(t, e.event.id, p); }},
    {"source", true,
     [](std::string_view t, IncomingEvent& e, const Place&) { e.event.source = t; }},
    {"type", true, [](std::string_view t, IncomingEvent& e, const Place&) { e.event.type = t; }},
    {"time", false,
     [](std::string_view t, IncomingEvent& e, const Place& p) {
       take_time(t, e.event.occurred_at, p);
     }},
    {"subject", false,
     [](std::string_view t, IncomingEvent& e, const Place& p) {
       take_subject(t, e.event.resource, p);
     }},
    {"partitionkey", false,
     [](std::string_view t, IncomingEvent& e, const Place&) { e.event.stream = t; }},
    {"traceparent", false,
     [](std::string_view t, IncomingEvent& e, const Place& p) { take_trace(t, e.traceparent, p); }},
    {"datacontenttype", false,
     [](std::string_view t, IncomingEvent&, const Place& p) { take_content_type(t, p); }},
    {"sequence", false, refuse_assigned},
    {"recordedtime", false, refuse_assigned},
    {"dataref", false, refuse_assigned},
    {"redacted", false, refuse_assigned},
});

using Seen = std::bitset<attributes.size()>;

void refuse_unknown(const Place& place) {
  place.violate("unknown_attribute", "an event has no place for this attribute");
}

/// The attribute of this name, which counts as seen from now on; null for an unknown one.
const Attribute* see(std::string_view name, Seen& seen) {
  const auto* const found = std::ranges::find(attributes, name, &Attribute::name);
  if (found == attributes.end()) return nullptr;
  seen.set(static_cast<std::size_t>(found - attributes.begin()));
  return found;
}

void check_required(const Seen& seen, const Place& event) {
  for (std::size_t at = 0; at < attributes.size(); ++at) {
    if (!attributes[at].required || seen.test(at)) continue;
    event.member(attributes[at].name).violate("required", "every CloudEvent has this attribute");
  }
}

void skip(Reader& reader) {
  std::string_view ignored;
  reader.read_raw(ignored);
}

void read_attribute(Reader& reader, const std::string& name, IncomingEvent& event, Seen& seen,
                    const Place& place) {
  // By the JSON format a null attribute is an absent one.
  if (reader.peek() == Type::null) {
    skip(reader);
    return;
  }
  const Attribute* const attribute = see(name, seen);
  if (attribute == nullptr) {
    refuse_unknown(place);
    skip(reader);
  } else if (attribute->take == refuse_assigned) {
    refuse_assigned({}, event, place);
    skip(reader);
  } else if (std::string text; read_text(reader, text, place)) {
    attribute->take(text, event, place);
  }
}

void read_members(Reader& reader, IncomingEvent& event, const Place& place) {
  if (!expect(reader, Type::object, place) || !reader.begin_object()) return;
  Seen seen;
  std::string name;
  while (reader.next_member(name)) {
    const Place member = place.member(name);
    if (name == "data") {
      read_object(reader, event.event.payload, member);
    } else if (name == "data_base64") {
      member.violate("unknown_attribute", "data must be a JSON object, in the member data");
      skip(reader);
    } else {
      read_attribute(reader, name, event, seen, member);
    }
  }
  if (!reader.problem()) check_required(seen, place);
}

/// Ends the reading of one event's text; what is wrong with the text itself stands below `pointer`.
void finish(Reader& reader, IncomingEvent& event, std::size_t index, const std::string& pointer,
            std::vector<Violation>& violations) {
  if (!reader.problem()) reader.finish();
  const auto& problem = reader.problem();
  if (!problem) return;
  event.complete = false;
  violations.push_back({index, pointer + problem->pointer, problem->rule, problem->message});
}

/// The value of a field of the head: quotes and percent-encoding are the HTTP binding's.
std::optional<std::string> decode_field(std::string_view value) {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') {
    return percent_decode(value, false);
  }
  std::string plain;
  for (std::size_t at = 1; at + 1 < value.size(); ++at) {
    if (value[at] == '\\' && at + 2 < value.size()) ++at;
    plain += value[at];
  }
  return percent_decode(plain, false);
}

void take_field(const AttributeField& field, IncomingEvent& event, Seen& seen, const Place& place) {
  const Attribute* const attribute = see(field.first, seen);
  if (attribute == nullptr || field.first == "datacontenttype") {
    // Content-Type says it: in binary mode there is no such field.
    refuse_unknown(place);
    return;
  }
  const auto text = decode_field(field.second);
  if (!text) {
    place.violate("percent_encoding", "has a percent sign without two hex digits after it");
    return;
  }
  attribute->take(*text, event, place);
}

}  // namespace

IncomingEvent read_cloud_event(std::string_view json, std::size_t index,
                               std::vector<Violation>& violations) {
  IncomingEvent event;
  Reader reader{json};
  read_members(reader, event, Place{index, violations});
  finish(reader, event, index, "", violations);
  return event;
}

Result<IncomingRequest> read_cloud_event_request(std::string_view body) {
  if (is_array(body)) {
    return fail(ErrorCode::invalid_request,
                "one CloudEvent is no array; several are application/cloudevents-batch+json");
  }
  return read_request(body, 1, read_cloud_event);
}

Result<IncomingRequest> read_cloud_event_batch(std::string_view body, std::size_t max_events) {
  if (!is_array(body)) {
    return fail(ErrorCode::invalid_request, "a batch of CloudEvents is an array");
  }
  return read_request(body, max_events, read_cloud_event);
}

IncomingRequest read_binary_cloud_event(std::span<const AttributeField> fields,
                                        std::string_view body) {
  IncomingRequest request;
  IncomingEvent incoming;
  const Place place{0, request.violations};
  Seen seen;
  for (auto field = fields.begin(); field != fields.end(); ++field) {
    const Place member = place.member(field->first);
    const std::span before{fields.begin(), field};
    if (std::ranges::find(before, field->first, &AttributeField::first) != before.end()) {
      member.violate("repeated", "is given more than once");
    } else {
      take_field(*field, incoming, seen, member);
    }
  }
  check_required(seen, place);
  if (!body.empty()) {
    Reader reader{body};
    read_object(reader, incoming.event.payload, place.member("data"));
    finish(reader, incoming, 0, "/data", request.violations);
  }
  if (!incoming.complete) request.incomplete.push_back(0);
  request.events.push_back(std::move(incoming.event));
  if (incoming.traceparent) request.traceparents = {std::move(incoming.traceparent)};
  return request;
}

std::string attribute_pointer(std::string_view pointer) {
  if (pointer.starts_with("/payload")) return "/data" + std::string{pointer.substr(8)};
  if (pointer == "/stream") return "/partitionkey";
  if (pointer == "/occurred_at") return "/time";
  if (pointer.starts_with("/resource")) return "/subject";
  return std::string{pointer};
}

void name_attributes(Result<AppendResult>& result) {
  if (result) {
    for (AppendedEvent& event : result->events) {
      for (Warning& warning : event.warnings)
        warning.pointer = attribute_pointer(warning.pointer);
    }
  } else if (auto* const invalid = std::get_if<InvalidEvent>(&result.error().details)) {
    for (Violation& violation : invalid->violations)
      violation.pointer = attribute_pointer(violation.pointer);
  }
}

}  // namespace annals::wire
