#include "wire/envelope.hpp"

#include <utility>

#include "annals/digest.hpp"
#include "annals/time.hpp"
#include "annals/uuid.hpp"
#include "wire/text.hpp"

namespace annals::wire {

namespace {

void append_optional(std::string& out, std::string_view name,
                     const std::optional<std::string>& value) {
  if (value) append_member(out, name, *value);
}

void append_optional(std::string& out, std::string_view name, const std::optional<Uuid>& value) {
  if (value) append_member(out, name, to_string(*value));
}

void append_header(std::string& out, const Header& header) {
  append_member(out, "seq", header.seq);
  append_member(out, "id", to_string(header.id));
  append_member(out, "type", header.type);
  append_member(out, "schema_version", header.schema_version);
  append_member(out, "occurred_at", to_string(header.occurred_at));
  append_member(out, "recorded_at", to_string(header.recorded_at));
  append_member(out, "permission_version", header.permission_version);
  append_optional(out, "source", header.source);
}

void append_stream(std::string& out, const Record& record) {
  const Header& header = record.header;
  if (!header.stream || !header.stream_seq) return;
  append_name(out, "stream");
  out += '{';
  append_member(out, "name", *header.stream);
  append_member(out, "seq", *header.stream_seq);
  if (record.prev_hash) append_member(out, "prev_hash", to_hex(*record.prev_hash));
  append_member(out, "hash", to_hex(record.row_hash));
  out += '}';
}

void append_scope(std::string& out, const Scope& scope) {
  append_name(out, "scope");
  out += '{';
  append_optional(out, "space_id", scope.space_id);
  append_optional(out, "channel_id", scope.channel_id);
  append_optional(out, "thread_id", scope.thread_id);
  out += '}';
}

void append_resource(std::string& out, const Resource& resource) {
  append_name(out, "resource");
  out += '{';
  append_optional(out, "kind", resource.kind);
  append_optional(out, "id", resource.id);
  if (resource.version) append_member(out, "version", *resource.version);
  out += '}';
}

void append_meta(std::string& out, const Meta& meta, Rendering rendering) {
  if (meta.actor) {
    append_name(out, "actor");
    out += '{';
    append_member(out, "kind", to_string(meta.actor->kind));
    append_optional(out, "id", meta.actor->id);
    out += '}';
  }
  if (!meta.labels.empty()) {
    append_name(out, "labels");
    out += '{';
    for (const auto& [name, value] : meta.labels)
      append_member(out, name, value);
    out += '}';
  }
  append_optional(out, "client_msg_id", meta.client_msg_id);
  append_optional(out, "correlation_id", meta.correlation_id);
  append_optional(out, "causation_id", meta.causation_id);
  if (rendering == Rendering::privileged) append_optional(out, "trace_context", meta.trace_context);
}

}  // namespace

Result<void> append_envelope(std::string& out, const Record& record, Rendering rendering) {
  const auto meta = meta_of(record);
  if (!meta) return std::unexpected(meta.error());
  out += '{';
  append_header(out, record.header);
  append_stream(out, record);
  append_scope(out, record.header.scope);
  append_resource(out, record.header.resource);
  append_meta(out, *meta, rendering);
  if (record.header.is_private) append_member(out, "audience", "self");
  if (record.header.truncated) append_true(out, "truncated");
  if (record.redacted()) append_true(out, "redacted");
  append_name(out, "payload");
  out += payload_of(record);
  out += '}';
  return {};
}

bool same_for_all(const Record& record) noexcept {
  return !record.meta || record.meta->bytes.find("\"trace_context\":") == std::string::npos;
}

}  // namespace annals::wire
