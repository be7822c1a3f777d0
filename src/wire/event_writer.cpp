#include "wire/event_writer.hpp"

#include <string_view>

#include "annals/time.hpp"
#include "annals/uuid.hpp"
#include "wire/text.hpp"

namespace annals::wire {

namespace {

/// Nobody has checked the text yet; what is no UTF-8 is for the server to refuse, as text.
void append_text(std::string& out, std::string_view name, std::string_view value) {
  append_name(out, name);
  append_any_string(out, value);
}

void append_text(std::string& out, std::string_view name, const std::optional<std::string>& value) {
  if (value) append_text(out, name, std::string_view{*value});
}

void append_uuid(std::string& out, std::string_view name, const std::optional<Uuid>& value) {
  if (value) append_member(out, name, to_string(*value));
}

void append_actor(std::string& out, const Actor& actor) {
  append_name(out, "actor");
  out += '{';
  append_member(out, "kind", to_string(actor.kind));
  append_text(out, "id", actor.id);
  out += '}';
}

void append_scope(std::string& out, const Scope& scope) {
  if (scope == Scope{}) return;
  append_name(out, "scope");
  out += '{';
  append_text(out, "space_id", scope.space_id);
  append_text(out, "channel_id", scope.channel_id);
  append_text(out, "thread_id", scope.thread_id);
  out += '}';
}

void append_resource(std::string& out, const Resource& resource) {
  if (resource == Resource{}) return;
  append_name(out, "resource");
  out += '{';
  append_text(out, "kind", resource.kind);
  append_text(out, "id", resource.id);
  if (resource.version) append_member(out, "version", *resource.version);
  out += '}';
}

void append_labels(std::string& out, const Labels& labels) {
  if (labels.empty()) return;
  append_name(out, "labels");
  out += '{';
  for (const auto& [name, value] : labels) {
    if (out.back() != '{') out += ',';
    append_any_string(out, name);
    out += ':';
    append_any_string(out, value);
  }
  out += '}';
}

void append_expected(std::string& out, const ExpectedVersion& expected) {
  switch (expected.kind) {
    case ExpectedVersion::Kind::any:
      append_member(out, "expected_version", "any");
      return;
    case ExpectedVersion::Kind::none:
      append_member(out, "expected_version", "none");
      return;
    case ExpectedVersion::Kind::exists:
      append_member(out, "expected_version", "exists");
      return;
    case ExpectedVersion::Kind::exactly:
      append_member(out, "expected_version", expected.version);
      return;
  }
}

}  // namespace

void append_new_event(std::string& out, const NewEvent& event,
                      const std::optional<ExpectedVersion>& expected) {
  out += '{';
  append_uuid(out, "id", event.id);
  append_text(out, "type", std::string_view{event.type});
  if (event.schema_version != 1) append_member(out, "schema_version", event.schema_version);
  append_text(out, "source", event.source);
  append_text(out, "stream", event.stream);
  if (event.occurred_at) append_member(out, "occurred_at", to_string(*event.occurred_at));
  if (event.actor) append_actor(out, *event.actor);
  append_scope(out, event.scope);
  append_resource(out, event.resource);
  append_text(out, "audience", event.audience);
  append_text(out, "receive_action", event.receive_action);
  append_labels(out, event.labels);
  append_uuid(out, "correlation_id", event.correlation_id);
  append_uuid(out, "causation_id", event.causation_id);
  append_text(out, "client_msg_id", event.client_msg_id);
  if (event.truncated) append_true(out, "truncated");
  if (expected) append_expected(out, *expected);
  append_name(out, "payload");
  out += event.payload;
  out += '}';
}

}  // namespace annals::wire
