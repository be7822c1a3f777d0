#include "log/append/request_hash.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/hash.hpp"

namespace annals::log {

namespace {

/// Writes members one after the other, each with its length or its absence, so that no two
/// different requests give the same bytes.
class Serializer {
 public:
  void number(std::uint64_t value) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
      bytes_.push_back(static_cast<char>(static_cast<std::uint8_t>(value >> shift)));
    }
  }

  void text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
  }

  void flag(bool value) { bytes_.push_back(value ? '\1' : '\0'); }

  void optional_text(const std::optional<std::string>& value) {
    flag(value.has_value());
    if (value) text(*value);
  }

  void optional_uuid(const std::optional<Uuid>& value) {
    flag(value.has_value());
    if (value) {
      bytes_.append(reinterpret_cast<const char*>(value->bytes.data()), value->bytes.size());
    }
  }

  void optional_number(const std::optional<std::uint64_t>& value) {
    flag(value.has_value());
    if (value) number(*value);
  }

  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

void write_event(Serializer& out, const NewEvent& event) {
  out.optional_uuid(event.id);
  out.text(event.type);
  out.number(event.schema_version);
  out.optional_text(event.source);
  out.optional_text(event.stream);
  out.flag(event.occurred_at.has_value());
  if (event.occurred_at) {
    out.number(static_cast<std::uint64_t>(event.occurred_at->time_since_epoch().count()));
  }
  out.flag(event.actor.has_value());
  if (event.actor) {
    out.text(to_string(event.actor->kind));
    out.optional_text(event.actor->id);
  }
  out.optional_text(event.scope.space_id);
  out.optional_text(event.scope.channel_id);
  out.optional_text(event.scope.thread_id);
  out.optional_text(event.resource.kind);
  out.optional_text(event.resource.id);
  out.optional_number(event.resource.version);
  out.optional_text(event.audience);
  out.optional_text(event.receive_action);
  out.number(event.labels.size());
  for (const auto& [name, value] : event.labels) {
    out.text(name);
    out.text(value);
  }
  out.optional_uuid(event.correlation_id);
  out.optional_uuid(event.causation_id);
  out.text(event.payload);
  out.flag(event.truncated);
  out.optional_text(event.client_msg_id);
}

std::size_t size_of(const std::optional<std::string>& value) {
  return value ? value->size() : 0;
}

}  // namespace

Digest request_hash(const std::vector<NewEvent>& events, const AppendOptions& options) {
  Serializer out;
  out.number(events.size());
  for (const NewEvent& event : events)
    write_event(out, event);
  out.number(options.expected_versions.size());
  for (const auto& [stream, expected] : options.expected_versions) {
    out.text(stream);
    out.number(static_cast<std::uint64_t>(expected.kind));
    out.number(expected.version);
  }
  return core::blake3(out.bytes());
}

std::size_t request_bytes(const NewEvent& event) {
  std::size_t bytes = event.type.size() + event.payload.size();
  for (const auto* member :
       {&event.source, &event.stream, &event.scope.space_id, &event.scope.channel_id,
        &event.scope.thread_id, &event.resource.kind, &event.resource.id, &event.audience,
        &event.receive_action, &event.client_msg_id}) {
    bytes += size_of(*member);
  }
  if (event.actor) bytes += size_of(event.actor->id);
  for (const auto& [name, value] : event.labels)
    bytes += name.size() + value.size();
  return bytes;
}

}  // namespace annals::log
