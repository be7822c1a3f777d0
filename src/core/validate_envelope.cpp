#include <algorithm>
#include <string_view>

#include "core/validate.hpp"

namespace annals::core {
namespace {

// The envelope is compact JSON; the sizes are counted on its own spelling. What makes the bound
// larger than an actual envelope is only what the event's place decides: digits of seq, stream.seq
// and permission_version, the first event of a stream having no prev_hash, and `redacted`.

constexpr std::size_t size_of(std::string_view text) {
  return text.size();
}

/// What every event has, with numbers of its place at their longest, the 16 digits of 2^53 - 1.
constexpr std::size_t fixed_bytes =
    size_of(R"({"seq":1234567890123456,"id":"00000000-0000-0000-0000-000000000000","type":,)"
            R"("schema_version":,"occurred_at":"0000-00-00T00:00:00.000000Z",)"
            R"("recorded_at":"0000-00-00T00:00:00.000000Z","permission_version":1234567890123456,)"
            R"("scope":{},"resource":{},"redacted":true,"payload":})");

constexpr std::size_t uuid_bytes = size_of(R"("00000000-0000-0000-0000-000000000000")");
constexpr std::size_t hash_bytes = 64;

/// Bytes of the text as a JSON string with its quotes: `"`, `\` and five controls take two bytes,
/// the other controls six.
std::size_t string_bytes(std::string_view text) {
  std::size_t bytes = text.size() + 2;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      bytes += 1;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      bytes += std::string_view("\b\t\n\f\r").contains(c) ? 1 : 5;
    }
  }
  return bytes;
}

/// A member with its comma: `,"name":value`.
constexpr std::size_t member_bytes(std::string_view name, std::size_t value_bytes) {
  return size_of(R"(,"":)") + name.size() + value_bytes;
}

std::size_t text_bytes(std::string_view name, const std::optional<std::string>& value) {
  return value ? member_bytes(name, string_bytes(*value)) : 0;
}

std::size_t id_bytes(std::string_view name, const std::optional<Uuid>& value) {
  return value ? member_bytes(name, uuid_bytes) : 0;
}

std::size_t number_bytes(std::uint64_t number) {
  return std::to_string(number).size();
}

std::size_t stream_bytes(const std::optional<std::string>& stream) {
  if (!stream) return 0;
  constexpr std::size_t link =
      size_of(R"({"name":,"seq":1234567890123456,"prev_hash":"","hash":""})");
  return member_bytes("stream", link + 2 * hash_bytes + string_bytes(*stream));
}

std::size_t actor_bytes(const std::optional<Actor>& actor) {
  if (!actor) return 0;
  return member_bytes("actor", size_of(R"({"kind":})") + string_bytes(to_string(actor->kind)) +
                                   text_bytes("id", actor->id));
}

std::size_t labels_bytes(const Labels& labels) {
  if (labels.empty()) return 0;
  std::size_t bytes = size_of("{}") - 1;  // The first label has no comma.
  for (const auto& [name, value] : labels) {
    bytes += size_of(",:") + string_bytes(name) + string_bytes(value);
  }
  return member_bytes("labels", bytes);
}

/// The braces are counted among the fixed bytes; of several members the first has no comma.
std::size_t scope_bytes(const Scope& scope) {
  const std::size_t members = text_bytes("space_id", scope.space_id) +
                              text_bytes("channel_id", scope.channel_id) +
                              text_bytes("thread_id", scope.thread_id);
  return members == 0 ? 0 : members - 1;
}

std::size_t resource_bytes(const Resource& resource) {
  const std::size_t version =
      resource.version ? member_bytes("version", number_bytes(*resource.version)) : 0;
  const std::size_t members =
      text_bytes("kind", resource.kind) + text_bytes("id", resource.id) + version;
  return members == 0 ? 0 : members - 1;
}

}  // namespace

std::size_t envelope_bound(const ValidEvent& event) {
  const Meta& meta = event.meta;
  std::size_t bytes = fixed_bytes + string_bytes(event.type) + number_bytes(event.schema_version);
  bytes += text_bytes("source", event.source) + stream_bytes(event.stream);
  bytes += scope_bytes(event.scope) + resource_bytes(event.resource);
  bytes += actor_bytes(meta.actor) + labels_bytes(meta.labels);
  bytes += text_bytes("client_msg_id", meta.client_msg_id);
  bytes += id_bytes("correlation_id", meta.correlation_id);
  bytes += id_bytes("causation_id", meta.causation_id);
  bytes += text_bytes("trace_context", meta.trace_context);
  if (meta.audience) bytes += member_bytes("audience", string_bytes("self"));
  if (event.truncated) bytes += member_bytes("truncated", size_of("true"));
  return bytes;
}

}  // namespace annals::core
