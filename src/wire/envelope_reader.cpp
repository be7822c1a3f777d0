#include "wire/envelope_reader.hpp"

#include <string>

#include "wire/json_values.hpp"

namespace annals::wire {

namespace {

using core::json::Reader;

bool read_stream_place(Reader& reader, Envelope& out) {
  StreamPlace place;
  const bool read = read_object(reader, [&](const std::string& name) {
    if (name == "name") return read_value(reader, place.name);
    if (name == "seq") return read_value(reader, place.seq);
    if (name == "prev_hash") return read_value(reader, place.prev_hash);
    if (name == "hash") return read_value(reader, place.hash);
    return true;
  });
  if (!read) return false;
  out.stream = std::move(place);
  return true;
}

bool read_scope(Reader& reader, Scope& out) {
  return read_object(reader, [&](const std::string& name) {
    if (name == "space_id") return read_value(reader, out.space_id);
    if (name == "channel_id") return read_value(reader, out.channel_id);
    if (name == "thread_id") return read_value(reader, out.thread_id);
    return true;
  });
}

bool read_resource(Reader& reader, Resource& out) {
  return read_object(reader, [&](const std::string& name) {
    if (name == "kind") return read_value(reader, out.kind);
    if (name == "id") return read_value(reader, out.id);
    if (name == "version") return read_value(reader, out.version);
    return true;
  });
}

bool read_actor(Reader& reader, std::optional<Actor>& out) {
  Actor actor;
  const bool read = read_object(reader, [&](const std::string& name) {
    if (name == "id") return read_value(reader, actor.id);
    if (name != "kind") return true;
    std::string text;
    if (!read_value(reader, text)) return false;
    const auto kind = parse_actor_kind(text);
    if (kind) actor.kind = *kind;
    return kind.has_value();
  });
  if (read) out = std::move(actor);
  return read;
}

bool read_labels(Reader& reader, Labels& out) {
  return read_object(reader,
                     [&](const std::string& name) { return read_value(reader, out[name]); });
}

bool read_audience(Reader& reader, bool& out) {
  std::string text;
  if (!read_value(reader, text)) return false;
  out = true;
  return true;
}

bool read_payload(Reader& reader, std::string& out) {
  std::string_view raw;
  if (!reader.read_raw(raw)) return false;
  out = raw;
  return true;
}

/// Members about who, what and in which context.
bool read_context(Reader& reader, const std::string& name, Envelope& out) {
  if (name == "scope") return read_scope(reader, out.scope);
  if (name == "resource") return read_resource(reader, out.resource);
  if (name == "actor") return read_actor(reader, out.actor);
  if (name == "labels") return read_labels(reader, out.labels);
  if (name == "client_msg_id") return read_value(reader, out.client_msg_id);
  if (name == "correlation_id") return read_value(reader, out.correlation_id);
  if (name == "causation_id") return read_value(reader, out.causation_id);
  if (name == "trace_context") return read_value(reader, out.trace_context);
  if (name == "audience") return read_audience(reader, out.is_private);
  if (name == "truncated") return read_value(reader, out.truncated);
  if (name == "redacted") return read_value(reader, out.redacted);
  if (name == "payload") return read_payload(reader, out.payload);
  return true;
}

bool read_member(Reader& reader, const std::string& name, Envelope& out) {
  if (name == "seq") return read_value(reader, out.seq);
  if (name == "id") return read_value(reader, out.id);
  if (name == "type") return read_value(reader, out.type);
  if (name == "schema_version") return read_value(reader, out.schema_version);
  if (name == "occurred_at") return read_value(reader, out.occurred_at);
  if (name == "recorded_at") return read_value(reader, out.recorded_at);
  if (name == "permission_version") return read_value(reader, out.permission_version);
  if (name == "source") return read_value(reader, out.source);
  if (name == "stream") return read_stream_place(reader, out);
  return read_context(reader, name, out);
}

}  // namespace

bool read_envelope(Reader& reader, Envelope& out) {
  if (!reader.peek()) return false;
  const char* const first = reader.position();
  const bool read =
      read_object(reader, [&](const std::string& name) { return read_member(reader, name, out); });
  if (!read || out.seq == 0 || out.id.is_nil() || out.type.empty()) return false;
  out.json.assign(first, reader.position());
  return true;
}

std::optional<Envelope> read_envelope(std::string_view json) {
  Reader reader(json);
  Envelope out;
  if (!read_envelope(reader, out) || !reader.finish()) return std::nullopt;
  return out;
}

}  // namespace annals::wire
