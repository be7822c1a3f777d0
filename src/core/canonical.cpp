#include "core/canonical.hpp"

#include <array>
#include <cstdint>

#include "core/text_forms.hpp"

namespace annals::core {

namespace {

/// Writes the members of one canonical object. The caller adds them in the order of their names.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }

  void text(std::string_view name, std::string_view value) {
    key(name);
    append_json_string(out_, value);
  }

  void text(std::string_view name, const std::optional<std::string>& value) {
    if (value) text(name, std::string_view(*value));
  }

  void number(std::string_view name, std::uint64_t value) {
    key(name);
    append_number(out_, value);
  }

  void number(std::string_view name, const std::optional<std::uint64_t>& value) {
    if (value) number(name, *value);
  }

  void uuid(std::string_view name, const Uuid& value) {
    key(name);
    out_ += '"';
    append_uuid(out_, value);
    out_ += '"';
  }

  void uuid(std::string_view name, const std::optional<Uuid>& value) {
    if (value) uuid(name, *value);
  }

  void digest(std::string_view name, const Digest& value) {
    key(name);
    out_ += '"';
    append_hex(out_, value);
    out_ += '"';
  }

  void time(std::string_view name, Timestamp value) {
    key(name);
    out_ += '"';
    append_timestamp(out_, value);
    out_ += '"';
  }

  /// False is left out.
  void flag(std::string_view name, bool value) {
    if (!value) return;
    key(name);
    out_ += "true";
  }

  /// Begins a member whose value the caller appends. `name` needs no escapes.
  void key(std::string_view name) {
    separate();
    out_ += '"';
    out_ += name;
    out_ += "\":";
  }

  /// A member with a name from outside.
  void member(std::string_view name, std::string_view value) {
    separate();
    append_json_string(out_, name);
    out_ += ':';
    append_json_string(out_, value);
  }

  void end() { out_ += '}'; }

 private:
  void separate() {
    if (!first_) out_ += ',';
    first_ = false;
  }

  std::string& out_;
  bool first_ = true;
};

void append_resource(ObjectWriter& header, std::string& out, const Resource& resource) {
  header.key("resource");
  ObjectWriter object(out);
  object.text("id", resource.id);
  object.text("kind", resource.kind);
  object.number("version", resource.version);
  object.end();
}

void append_scope(ObjectWriter& header, std::string& out, const Scope& scope) {
  if (scope == Scope{}) return;
  header.key("scope");
  ObjectWriter object(out);
  object.text("channel_id", scope.channel_id);
  object.text("space_id", scope.space_id);
  object.text("thread_id", scope.thread_id);
  object.end();
}

void append_actor(ObjectWriter& meta, std::string& out, const std::optional<Actor>& actor) {
  if (!actor) return;
  meta.key("actor");
  ObjectWriter object(out);
  object.text("id", actor->id);
  object.text("kind", to_string(actor->kind));
  object.end();
}

void append_labels(ObjectWriter& meta, std::string& out, const Labels& labels) {
  if (labels.empty()) return;
  meta.key("labels");
  ObjectWriter object(out);
  for (const auto& [name, value] : labels) {
    object.member(name, value);
  }
  object.end();
}

/// Appends the escape of a byte that cannot stand in a string as it is.
void append_escape(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      break;
  }
  out += "\\u00";
  append_hex(out, std::array{static_cast<std::uint8_t>(c)});
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out.append(text, copied, i - copied);
    append_escape(out, text[i]);
    copied = i + 1;
  }
  out.append(text, copied);
  out += '"';
}

void append_header_bytes(std::string& out, const Header& header) {
  ObjectWriter object(out);
  object.uuid("id", header.id);
  object.uuid("key_id", header.key_id);
  object.uuid("log", header.log_id);
  if (header.meta_digest) object.digest("meta", *header.meta_digest);
  object.time("occurred_at", header.occurred_at);
  object.digest("payload", header.payload_digest);
  object.number("permission_version", header.permission_version);
  object.flag("private", header.is_private);
  object.text("receive_action", std::string_view(header.receive_action));
  object.time("recorded_at", header.recorded_at);
  append_resource(object, out, header.resource);
  object.number("schema_version", header.schema_version);
  append_scope(object, out, header.scope);
  object.number("seq", header.seq);
  object.text("source", header.source);
  object.text("stream", header.stream);
  object.number("stream_seq", header.stream_seq);
  object.flag("truncated", header.truncated);
  object.text("type", std::string_view(header.type));
  object.number("v", 1);
  object.end();
}

std::string header_bytes(const Header& header) {
  std::string out;
  out.reserve(1024);
  append_header_bytes(out, header);
  return out;
}

std::string meta_bytes(const Meta& meta) {
  if (meta.empty()) return {};
  std::string out;
  out.reserve(256);
  ObjectWriter object(out);
  append_actor(object, out, meta.actor);
  object.text("audience", meta.audience);
  object.uuid("causation_id", meta.causation_id);
  object.text("client_msg_id", meta.client_msg_id);
  object.uuid("correlation_id", meta.correlation_id);
  append_labels(object, out, meta.labels);
  object.text("trace_context", meta.trace_context);
  object.end();
  return out;
}

}  // namespace annals::core
