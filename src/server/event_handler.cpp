#include <array>
#include <optional>
#include <string>
#include <utility>

#include "core/canonical.hpp"
#include "core/cursor.hpp"
#include "server/checks.hpp"
#include "server/handlers.hpp"
#include "server/validators.hpp"
#include "wire/cloud_event_writer.hpp"
#include "wire/format.hpp"

namespace annals::server {

namespace {

enum class Form : std::uint8_t {
  envelope,
  header,
  meta,
  payload,
  cloud_event,
  binary_cloud_event,  ///< Attributes in the head, the payload as the body.
};

/// Asks for binary mode, which has no media type of its own: the type of its body is the data's.
constexpr std::string_view binary_cloud_event_type = "application/cloudevents";

/// What is asked of one event.
struct EventRequest {
  std::string name;  ///< Its seq or its id.
  Form form = Form::envelope;
  bool hashed = false;
  std::string known_tags;  ///< Of `If-None-Match`.
};

/// Only a type that is named chooses a CloudEvent: never a wildcard.
Form form_of(std::optional<std::string_view> accept) {
  if (names(accept, "application/json")) return Form::envelope;
  if (names(accept, wire::cloud_event_type)) return Form::cloud_event;
  return names(accept, binary_cloud_event_type) ? Form::binary_cloud_event : Form::envelope;
}

Result<Form> read_form(const wire::Query& query, std::optional<std::string_view> accept) {
  const auto form = query.value("form");
  if (!form) return form_of(accept);
  if (*form == "header") return Form::header;
  if (*form == "meta") return Form::meta;
  if (*form == "payload") return Form::payload;
  return fail(ErrorCode::invalid_request, "form must be header, meta or payload");
}

Result<bool> read_hashed(const wire::Query& query) {
  const auto hashed = query.value("hashed");
  if (!hashed || *hashed == "0") return false;
  if (*hashed != "1") return fail(ErrorCode::invalid_request, "hashed must be 0 or 1");
  if (!query.value("form")) return fail(ErrorCode::invalid_request, "hashed needs a form");
  return true;
}

Result<Record> find(const EventLog& log, const std::string& name) {
  if (const auto id = parse_uuid(name)) return log.find(*id);
  const auto seq = core::parse_cursor(name);
  if (!seq) return fail(ErrorCode::invalid_request, "an event is named by its seq or its id");
  return log.find(*seq);
}

template <std::size_t Size>
void append_raw(std::string& out, const std::array<std::uint8_t, Size>& bytes) {
  out.append(bytes.begin(), bytes.end());
}

Result<std::string> part_bytes(const std::optional<Part>& part, bool hashed) {
  if (!part) return fail(ErrorCode::not_found, "the event does not have this part (any more)");
  std::string out;
  if (hashed) append_raw(out, part->salt);
  out += part->bytes;
  return out;
}

std::string header_bytes(const Record& record, bool hashed) {
  std::string out;
  if (hashed && record.prev_hash) append_raw(out, *record.prev_hash);
  core::append_header_bytes(out, record.header);
  return out;
}

Result<std::string> event_text(const Record& record, wire::Rendering rendering,
                               wire::Format format) {
  std::string out;
  if (auto appended = wire::append_event(out, record, rendering, format); !appended) {
    return std::unexpected(appended.error());
  }
  return out;
}

Result<std::string> body_of(const Record& record, const EventRequest& request,
                            wire::Rendering rendering) {
  switch (request.form) {
    case Form::header:
      return header_bytes(record, request.hashed);
    case Form::meta:
      return part_bytes(record.meta, request.hashed);
    case Form::payload:
      return part_bytes(record.payload, request.hashed);
    case Form::binary_cloud_event:
      return std::string{payload_of(record)};
    case Form::cloud_event:
      return event_text(record, rendering, wire::Format::cloudevents);
    case Form::envelope:
      break;
  }
  return event_text(record, rendering, wire::Format::envelope);
}

/// The content type and the fields that a form has beside its body.
Result<void> add_head(Response& response, const Record& record, const EventRequest& request,
                      wire::Rendering rendering) {
  if (request.hashed) response.content_type = "application/octet-stream";
  if (request.form == Form::cloud_event) response.content_type = wire::cloud_event_type;
  if (request.form != Form::binary_cloud_event) return {};
  auto fields = wire::cloud_event_fields(record, rendering);
  if (!fields) return std::unexpected(fields.error());
  for (auto& [name, value] : *fields)
    response.fields.push_back({std::move(name), std::move(value)});
  return {};
}

/// A short name of the rendering, for its entity tag.
std::string tag_name(const EventRequest& request) {
  constexpr std::array<std::string_view, 6> names{"envelope", "header",      "meta",
                                                  "payload",  "cloud_event", "binary_cloud_event"};
  return std::string{names[static_cast<std::size_t>(request.form)]} + (request.hashed ? "#" : "");
}

Result<Response> event(const Service& service, const Viewer& viewer, const EventRequest& request) {
  const auto record = find(service.log, request.name);
  if (!record) return std::unexpected(record.error());
  if (!viewer.sees(*record)) return fail(ErrorCode::not_found, "there is no such event");
  if (request.form == Form::meta && !viewer.all) {
    return fail(ErrorCode::not_allowed, "the meta part is for keys that read everything");
  }
  auto body = body_of(*record, request, viewer.rendering());
  if (!body) return std::unexpected(body.error());
  std::string tag = event_tag(*record, viewer.rendering(), tag_name(request));
  if (not_modified(request.known_tags, tag)) return unchanged(std::move(tag));
  Response response = json(std::move(*body));
  if (auto added = add_head(response, *record, request, viewer.rendering()); !added) {
    return std::unexpected(added.error());
  }
  add_validator(response, std::move(tag));
  return response;
}

}  // namespace

Plan plan_event(Service& service, const Request& request, const Match& match, Caller& caller) {
  if (const auto admitted = admit_reader(service, request, caller); !admitted) {
    return problem(admitted.error());
  }
  const auto query = read_query(request, match.route);
  if (!query) return problem(query.error());
  const auto form = read_form(*query, request.header("accept"));
  if (!form) return problem(form.error());
  const auto hashed = read_hashed(*query);
  if (!hashed) return problem(hashed.error());
  return Blocking{
      [&service, viewer = caller.viewer(),
       asked = EventRequest{match.path.front(), *form, *hashed,
                            std::string{request.header("if-none-match").value_or("")}}] {
        return reply(event(service, viewer, asked));
      }};
}

}  // namespace annals::server
