#include "store/index/facets.hpp"

#include <string>

namespace annals::store::index {
namespace {

/// Which member a value belongs to: the first byte that is hashed. Part of the format of a run.
enum class Member : std::uint8_t {
  type = 1,
  source,
  stream,
  space,
  channel,
  thread,
  actor,
  resource_kind,
  resource_id,
  correlation_id,
  label,
};

/// FNV-1a with a final mix, so that all bits depend on all bytes.
class KeyHash {
 public:
  explicit KeyHash(Member member) { add(static_cast<unsigned char>(member)); }

  KeyHash& add(std::string_view bytes) {
    for (const char byte : bytes)
      add(static_cast<unsigned char>(byte));
    return *this;
  }

  KeyHash& add(unsigned char byte) {
    hash_ = (hash_ ^ byte) * 0x100000001b3U;
    return *this;
  }

  [[nodiscard]] FacetKey key() const {
    std::uint64_t mixed = hash_ ^ (hash_ >> 32U);
    mixed *= 0xd6e8feb86659fd93U;
    return static_cast<FacetKey>(mixed >> 32U);
  }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

FacetKey key_of(Member member, std::string_view value) {
  return KeyHash(member).add(value).key();
}

FacetKey uuid_key(const Uuid& uuid) {
  return key_of(Member::correlation_id,
                {reinterpret_cast<const char*>(uuid.bytes.data()), uuid.bytes.size()});
}

FacetKey label_key(std::string_view name, std::string_view value) {
  return KeyHash(Member::label).add(name).add('\0').add(value).key();
}

/// The type itself and every pattern that matches it.
void append_type_keys(std::vector<FacetKey>& out, std::string_view type) {
  out.push_back(key_of(Member::type, type));
  for (auto dot = type.find('.'); dot != std::string_view::npos; dot = type.find('.', dot + 1)) {
    out.push_back(KeyHash(Member::type).add(type.substr(0, dot + 1)).add('*').key());
  }
}

FacetKey actor_key(const Actor& actor) {
  KeyHash hash(Member::actor);
  hash.add(to_string(actor.kind));
  if (actor.id) hash.add('/').add(*actor.id);
  return hash.key();
}

}  // namespace

void append_keys(std::vector<FacetKey>& out, const Header& header, const Meta& meta) {
  const auto add = [&out](Member member, const std::optional<std::string>& value) {
    if (value) out.push_back(key_of(member, *value));
  };
  append_type_keys(out, header.type);
  add(Member::source, header.source);
  add(Member::stream, header.stream);
  add(Member::space, header.scope.space_id);
  add(Member::channel, header.scope.channel_id);
  add(Member::thread, header.scope.thread_id);
  add(Member::resource_kind, header.resource.kind);
  add(Member::resource_id, header.resource.id);
  if (meta.actor) out.push_back(actor_key(*meta.actor));
  if (meta.correlation_id) out.push_back(uuid_key(*meta.correlation_id));
  for (const auto& [name, value] : meta.labels)
    out.push_back(label_key(name, value));
}

std::vector<FacetKey> keys_of(const Filter& filter) {
  std::vector<FacetKey> keys;
  const auto add = [&keys](Member member, const std::optional<std::string>& value) {
    if (value) keys.push_back(key_of(member, *value));
  };
  add(Member::type, filter.type);
  add(Member::source, filter.source);
  add(Member::stream, filter.stream);
  add(Member::space, filter.space);
  add(Member::channel, filter.channel);
  add(Member::thread, filter.thread);
  add(Member::actor, filter.actor);
  add(Member::resource_kind, filter.resource_kind);
  add(Member::resource_id, filter.resource_id);
  if (filter.correlation_id) keys.push_back(uuid_key(*filter.correlation_id));
  for (const auto& [name, value] : filter.labels)
    keys.push_back(label_key(name, value));
  return keys;
}

FacetKey stream_key(std::string_view stream) {
  return key_of(Member::stream, stream);
}

}  // namespace annals::store::index
