#include <string>
#include <utility>

#include "core/canonical.hpp"
#include "core/json.hpp"

namespace annals::core {

namespace {

using json::Reader;

/// Reads into `out`; every reader of a member says whether its value had the right type.
bool read_text(Reader& reader, std::optional<std::string>& out) {
  return reader.read_string(out.emplace());
}

bool read_uuid(Reader& reader, std::optional<Uuid>& out) {
  std::string text;
  if (!reader.read_string(text)) return false;
  out = parse_uuid(text);
  return out.has_value();
}

bool read_actor(Reader& reader, std::optional<Actor>& out) {
  Actor actor;
  std::optional<ActorKind> kind;
  std::string name;
  std::string text;
  if (!reader.begin_object()) return false;
  while (reader.next_member(name)) {
    if (name == "id") {
      if (!read_text(reader, actor.id)) return false;
    } else {
      if (name != "kind" || !reader.read_string(text)) return false;
      kind = parse_actor_kind(text);
    }
  }
  if (!kind) return false;
  actor.kind = *kind;
  out = std::move(actor);
  return true;
}

bool read_labels(Reader& reader, Labels& out) {
  std::string name;
  if (!reader.begin_object()) return false;
  while (reader.next_member(name)) {
    if (!reader.read_string(out[name])) return false;
  }
  return true;
}

bool read_member(Reader& reader, std::string_view name, Meta& meta) {
  if (name == "actor") return read_actor(reader, meta.actor);
  if (name == "audience") return read_text(reader, meta.audience);
  if (name == "causation_id") return read_uuid(reader, meta.causation_id);
  if (name == "client_msg_id") return read_text(reader, meta.client_msg_id);
  if (name == "correlation_id") return read_uuid(reader, meta.correlation_id);
  if (name == "labels") return read_labels(reader, meta.labels);
  if (name == "trace_context") return read_text(reader, meta.trace_context);
  return false;
}

bool read_meta(std::string_view bytes, Meta& meta) {
  Reader reader(bytes);
  std::string name;
  if (!reader.begin_object()) return false;
  while (reader.next_member(name)) {
    if (!read_member(reader, name, meta)) return false;
  }
  return reader.finish();
}

}  // namespace

Result<Meta> parse_meta(std::string_view bytes) {
  Meta meta;
  // Only one text stands for a meta: what reads well but would be written otherwise was not written
  // by a log.
  if (!read_meta(bytes, meta) || meta_bytes(meta) != bytes) {
    return fail(ErrorCode::store_corrupt, "the meta part is not in canonical form");
  }
  return meta;
}

}  // namespace annals::core
