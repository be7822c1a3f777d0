#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "annals/record.hpp"

namespace annals::core::oracle {

// The canonical form written a second time, with another program's objects (sorted by name) and
// another program's escapes.

template <typename Value, typename Write>
void put(nlohmann::json& object, const char* name, const std::optional<Value>& value, Write write) {
  if (value) object[name] = write(*value);
}

inline std::string as_text(const std::string& value) {
  return value;
}
inline std::uint64_t as_number(std::uint64_t value) {
  return value;
}
inline std::string as_uuid(const Uuid& value) {
  return to_string(value);
}
inline std::string as_hex(const Digest& value) {
  return to_hex(value);
}

inline std::string header_bytes(const Header& header) {
  nlohmann::json object = {
      {"v", 1},
      {"log", to_string(header.log_id)},
      {"seq", header.seq},
      {"id", to_string(header.id)},
      {"type", header.type},
      {"schema_version", header.schema_version},
      {"occurred_at", to_string(header.occurred_at)},
      {"recorded_at", to_string(header.recorded_at)},
      {"receive_action", header.receive_action},
      {"permission_version", header.permission_version},
      {"key_id", to_string(header.key_id)},
      {"payload", to_hex(header.payload_digest)},
      {"resource", {{"kind", header.resource.kind.value()}}},
  };
  put(object["resource"], "id", header.resource.id, as_text);
  put(object["resource"], "version", header.resource.version, as_number);
  put(object, "source", header.source, as_text);
  put(object, "stream", header.stream, as_text);
  put(object, "stream_seq", header.stream_seq, as_number);
  put(object, "meta", header.meta_digest, as_hex);
  nlohmann::json scope = nlohmann::json::object();
  put(scope, "space_id", header.scope.space_id, as_text);
  put(scope, "channel_id", header.scope.channel_id, as_text);
  put(scope, "thread_id", header.scope.thread_id, as_text);
  if (!scope.empty()) object["scope"] = scope;
  if (header.is_private) object["private"] = true;
  if (header.truncated) object["truncated"] = true;
  return object.dump();
}

inline std::string meta_bytes(const Meta& meta) {
  nlohmann::json object = nlohmann::json::object();
  if (meta.actor) {
    object["actor"]["kind"] = std::string(to_string(meta.actor->kind));
    put(object["actor"], "id", meta.actor->id, as_text);
  }
  put(object, "audience", meta.audience, as_text);
  if (!meta.labels.empty()) object["labels"] = meta.labels;
  put(object, "client_msg_id", meta.client_msg_id, as_text);
  put(object, "correlation_id", meta.correlation_id, as_uuid);
  put(object, "causation_id", meta.causation_id, as_uuid);
  put(object, "trace_context", meta.trace_context, as_text);
  return object.empty() ? "" : object.dump();
}

}  // namespace annals::core::oracle
