#include <array>
#include <optional>
#include <string>
#include <utility>

#include "core/canonical.hpp"
#include "core/cursor.hpp"
#include "server/checks.hpp"
#include "server/handlers.hpp"
#include "server/validators.hpp"
#include "wire/envelope.hpp"

namespace annals::server {

namespace {

enum class Form : std::uint8_t { envelope, header, meta, payload };

/// What is asked of one event.
struct EventRequest {
  std::string name;  ///< Its seq or its id.
  Form form = Form::envelope;
  bool hashed = false;
  std::string known_tags;  ///< Of `If-None-Match`.
};

Result<Form> read_form(const wire::Query& query) {
  const auto form = query.value("form");
  if (!form) return Form::envelope;
  if (*form == "header") return Form::header;
  if (*form == "meta") return Form::meta;
  if (*form == "payload") return Form::payload;
  return fail(ErrorCode::invalid_request, "form must be header, meta or payload");
}

Result<bool> read_hashed(const wire::Query& query, Form form) {
  const auto hashed = query.value("hashed");
  if (!hashed || *hashed == "0") return false;
  if (*hashed != "1") return fail(ErrorCode::invalid_request, "hashed must be 0 or 1");
  if (form == Form::envelope) return fail(ErrorCode::invalid_request, "hashed needs a form");
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

Result<std::string> body_of(const Record& record, const EventRequest& request,
                            wire::Rendering rendering) {
  if (request.form == Form::meta) return part_bytes(record.meta, request.hashed);
  if (request.form == Form::payload) return part_bytes(record.payload, request.hashed);
  std::string out;
  if (request.form == Form::header) {
    if (request.hashed && record.prev_hash) append_raw(out, *record.prev_hash);
    core::append_header_bytes(out, record.header);
  } else if (auto appended = wire::append_envelope(out, record, rendering); !appended) {
    return std::unexpected(appended.error());
  }
  return out;
}

/// A short name of the rendering, for its entity tag.
std::string tag_name(const EventRequest& request) {
  constexpr std::array<std::string_view, 4> names{"envelope", "header", "meta", "payload"};
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
  if (request.hashed) response.content_type = "application/octet-stream";
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
  const auto form = read_form(*query);
  if (!form) return problem(form.error());
  const auto hashed = read_hashed(*query, *form);
  if (!hashed) return problem(hashed.error());
  return Blocking{
      [&service, viewer = caller.viewer(),
       asked = EventRequest{match.path.front(), *form, *hashed,
                            std::string{request.header("if-none-match").value_or("")}}] {
        return reply(event(service, viewer, asked));
      }};
}

}  // namespace annals::server
