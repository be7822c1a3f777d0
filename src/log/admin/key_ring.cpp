#include "log/admin/key_ring.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/canonical.hpp"
#include "core/capability_mint.hpp"
#include "core/hash.hpp"
#include "core/validate_names.hpp"
#include "log/admin/own_change.hpp"

namespace annals::log {

namespace {

constexpr std::string_view access_stream = "$access";
constexpr std::string_view secret_prefix = "annals_";
constexpr std::size_t name_max_bytes = 200;

/// `annals_<key id in hex>_<256 random bits in hex>`: the id finds the row, the rest is compared in
/// constant time.
std::string make_secret(const Uuid& key_id, Ids& ids) {
  Digest random{};
  ids.random_bytes(random);
  return std::string(secret_prefix) + to_hex(Salt{key_id.bytes}) + "_" + to_hex(random);
}

std::optional<Uuid> key_id_of(std::string_view secret) {
  constexpr std::size_t hex_digits = 32;
  if (!secret.starts_with(secret_prefix)) return std::nullopt;
  secret.remove_prefix(secret_prefix.size());
  if (secret.size() <= hex_digits || secret[hex_digits] != '_') return std::nullopt;
  std::string text(secret.substr(0, hex_digits));
  for (const std::size_t dash : {8U, 13U, 18U, 23U})
    text.insert(dash, "-");
  return parse_uuid(text);
}

/// What the key may do. Name, principal and addresses stay out of it: the event is for ever, and
/// they are personal.
std::string rights_payload(const Key& key) {
  std::string json = "{\"key_id\":\"" + to_string(key.key_id) + "\",\"append\":[";
  for (bool first = true; const std::string& type : key.append) {
    if (!std::exchange(first, false)) json += ',';
    core::append_json_string(json, type);
  }
  json += "],\"read\":[";
  for (bool first = true; const ReadGrant& grant : key.read) {
    if (!std::exchange(first, false)) json += ',';
    core::append_json_string(json, to_string(grant));
  }
  json += ']';
  if (key.expires_at) json += ",\"expires_at\":\"" + to_string(*key.expires_at) + "\"";
  return json + "}";
}

NewEvent access_event(std::string type, const Uuid& key_id, std::string payload) {
  NewEvent event;
  event.type = std::move(type);
  event.stream = access_stream;
  event.resource.kind = "key";
  event.resource.id = to_string(key_id);
  event.payload = std::move(payload);
  return event;
}

Result<void> check_grants(const ReadGrants& grants) {
  if (grants.size() > max_read_grants) {
    return fail(ErrorCode::invalid_request, "a key has at most 100 read grants");
  }
  for (const ReadGrant& grant : grants) {
    auto read = parse_read_grant(to_string(grant));
    if (!read) return std::unexpected(std::move(read).error());
    if (*read != grant) {
      return fail(ErrorCode::invalid_request, "a read grant holds what its area does not have");
    }
  }
  return {};
}

Result<void> check_ranges(const AddressRanges& ranges) {
  if (ranges.size() > max_address_ranges) {
    return fail(ErrorCode::invalid_request, "a key has at most 100 address ranges");
  }
  for (const AddressRange& range : ranges) {
    auto read = parse_address_range(to_string(range));
    if (!read) return std::unexpected(std::move(read).error());
    if (*read != range) {
      return fail(ErrorCode::invalid_request, "an address range is of IPv4 or of IPv6");
    }
  }
  return {};
}

Result<void> check_new_key(const NewKey& key, Timestamp now) {
  if (key.name.empty() || key.name.size() > name_max_bytes) {
    return fail(ErrorCode::invalid_request, "a key's name has 1 to 200 bytes");
  }
  if (key.name.starts_with(subject_key_prefix)) {
    return fail(
        ErrorCode::invalid_request,
        "names beginning with jwt: are those of subjects, whose rights are in their tokens");
  }
  if (key.append.empty() && key.read.empty()) {
    return fail(ErrorCode::invalid_request, "a key may append something or read something");
  }
  if (key.principal && !core::is_plain_text(*key.principal)) {
    return fail(ErrorCode::invalid_request, "a key's principal has 1 to 200 bytes");
  }
  if (key.expires_at && *key.expires_at <= now) {
    return fail(ErrorCode::invalid_request, "a key expires in the future");
  }
  if (!key.append.empty()) {
    // Minting checks the patterns.
    auto minted = CapabilityMint::mint(Uuid{{1}}, key.append, now);
    if (!minted) return std::unexpected(std::move(minted).error());
  }
  if (auto checked = check_grants(key.read); !checked) return checked;
  return check_ranges(key.from);
}

/// The key that is not revoked and has this name or id.
Result<StoredKey> find_key(AdminWriter& admin, std::string_view name_or_id) {
  auto keys = admin.keys();
  if (!keys) return std::unexpected(std::move(keys).error());
  const auto found = std::ranges::find_if(*keys, [&](const StoredKey& stored) {
    return !stored.key.revoked_at &&
           (stored.key.name == name_or_id || to_string(stored.key.key_id) == name_or_id);
  });
  if (found == keys->end()) return fail(ErrorCode::not_found, "no active key of this name");
  return std::move(*found);
}

/// The newest key of this name, revoked or not.
Result<std::optional<StoredKey>> newest_key(AdminWriter& admin, std::string_view name) {
  auto keys = admin.keys();
  if (!keys) return std::unexpected(std::move(keys).error());
  std::optional<StoredKey> newest;
  for (StoredKey& stored : *keys) {
    if (stored.key.name == name) newest = std::move(stored);
  }
  return newest;
}

/// The name of a subject's key; `invalid_request` when it cannot be one.
Result<std::string> subject_key_name(std::string_view subject) {
  if (!core::is_plain_text(subject, name_max_bytes - subject_key_prefix.size())) {
    return fail(ErrorCode::invalid_request, "a subject has 1 to 196 bytes");
  }
  return std::string{subject_key_prefix}.append(subject);
}

void apply(KeyChange change, Key& key) {
  if (change.append) key.append = *std::move(change.append);
  if (change.read) key.read = *std::move(change.read);
  if (change.expires_at) key.expires_at = *change.expires_at;
  if (change.principal) key.principal = *std::move(change.principal);
  if (change.from) key.from = *std::move(change.from);
}

std::unexpected<Error> not_authenticated() {
  return fail(ErrorCode::not_authenticated, "the key is unknown, expired or revoked");
}

/// Who uses `key` with the right to append `types`.
Result<Identity> identity_of(const Key& key, const AllowedTypes& types, Timestamp now) {
  Identity identity;
  identity.key = key;
  if (types.empty()) return identity;
  auto capability = CapabilityMint::mint(key.key_id, types, now);
  if (!capability) return std::unexpected(std::move(capability).error());
  identity.capability = *std::move(capability);
  return identity;
}

Result<Identity> identity_of_subject(const Key& key, const AllowedTypes& types, Timestamp now) {
  if (key.revoked_at) return fail(ErrorCode::not_authenticated, "the subject's key was revoked");
  return identity_of(key, types, now);
}

}  // namespace

KeyRing::KeyRing(Store& store, const RequestPreparer& preparer, Clock& clock, Ids& ids,
                 std::chrono::milliseconds write_timeout)
    : store_(store),
      preparer_(preparer),
      clock_(clock),
      ids_(ids),
      write_timeout_(write_timeout) {}

Result<void> KeyRing::check_administrator(const WriteCapability& by) const {
  auto state = store_.events().state();
  if (!state) return std::unexpected(std::move(state).error());
  if (by.holder() == state->local_key_id) return {};
  return fail(ErrorCode::not_allowed, "keys are administered by the local administrator");
}

Result<CreatedKey> KeyRing::create(const WriteCapability& by, NewKey key) {
  if (auto allowed = check_administrator(by); !allowed) {
    return std::unexpected(std::move(allowed).error());
  }
  const Timestamp now = clock_.now();
  if (auto checked = check_new_key(key, now); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  CreatedKey created;
  created.key = {.key_id = ids_.random_id(),
                 .name = std::move(key.name),
                 .append = std::move(key.append),
                 .read = std::move(key.read),
                 .created_at = now,
                 .expires_at = key.expires_at,
                 .revoked_at = std::nullopt,
                 .principal = std::move(key.principal),
                 .from = std::move(key.from)};
  created.secret = make_secret(created.key.key_id, ids_);

  const auto event = [&](AdminWriter& admin) -> Result<std::optional<core::Draft>> {
    auto keys = admin.keys();
    if (!keys) return std::unexpected(std::move(keys).error());
    for (const StoredKey& other : *keys) {
      if (!other.key.revoked_at && other.key.name == created.key.name) {
        return fail(ErrorCode::invalid_request, "a key of this name exists; revoke it first");
      }
    }
    return preparer_.prepare_own(by.holder(), access_event("access.key_created", created.key.key_id,
                                                           rights_payload(created.key)));
  };
  const auto change = [&](AdminWriter& admin, const AppendedEvent&) {
    return admin.put_key({created.key, core::blake3(created.secret)});
  };
  auto appended =
      append_own_change(store_, clock_, write_timeout_, PermissionBump::yes, event, change);
  // Also after an error: a commit whose outcome is unknown may have changed them.
  forget_keys();
  if (!appended) return std::unexpected(std::move(appended).error());
  return created;
}

Result<Key> KeyRing::revoke(const WriteCapability& by, std::string_view name_or_id) {
  if (auto allowed = check_administrator(by); !allowed) {
    return std::unexpected(std::move(allowed).error());
  }
  std::optional<StoredKey> revoked;
  const auto event = [&](AdminWriter& admin) -> Result<std::optional<core::Draft>> {
    auto found = find_key(admin, name_or_id);
    if (!found && name_or_id.starts_with(subject_key_prefix)) {
      // Who has not appended yet is barred by a key that begins revoked.
      auto known = newest_key(admin, name_or_id);
      if (!known) return std::unexpected(std::move(known).error());
      if (!*known && subject_key_name(name_or_id.substr(subject_key_prefix.size()))) {
        found = make_subject_key(name_or_id);
      }
    }
    if (!found) return std::unexpected(std::move(found).error());
    revoked = *std::move(found);
    revoked->key.revoked_at = clock_.now();
    const Uuid& key_id = revoked->key.key_id;
    return preparer_.prepare_own(
        by.holder(),
        access_event("access.key_revoked", key_id, "{\"key_id\":\"" + to_string(key_id) + "\"}"));
  };
  const auto change = [&](AdminWriter& admin, const AppendedEvent&) {
    return admin.put_key(*revoked);
  };
  auto appended =
      append_own_change(store_, clock_, write_timeout_, PermissionBump::yes, event, change);
  // Also after an error: a commit whose outcome is unknown may have changed them.
  forget_keys();
  if (!appended) return std::unexpected(std::move(appended).error());
  return std::move(revoked->key);
}

Result<Key> KeyRing::change(const WriteCapability& by, std::string_view name_or_id,
                            KeyChange change) {
  if (auto allowed = check_administrator(by); !allowed) {
    return std::unexpected(std::move(allowed).error());
  }
  std::optional<StoredKey> changed;
  const auto event = [&](AdminWriter& admin) -> Result<std::optional<core::Draft>> {
    auto found = find_key(admin, name_or_id);
    if (!found) return std::unexpected(std::move(found).error());
    const Key before = found->key;
    changed = *std::move(found);
    Key& key = changed->key;
    apply(std::move(change), key);
    if (key == before) return std::nullopt;
    const NewKey as_new{key.name, key.append, key.read, key.expires_at, key.principal, key.from};
    if (auto checked = check_new_key(as_new, clock_.now()); !checked) {
      return std::unexpected(std::move(checked).error());
    }
    return preparer_.prepare_own(
        by.holder(), access_event("access.key_changed", key.key_id, rights_payload(key)));
  };
  const auto store = [&](AdminWriter& admin, const AppendedEvent&) {
    return admin.put_key(*changed);
  };
  auto appended =
      append_own_change(store_, clock_, write_timeout_, PermissionBump::yes, event, store);
  // Also after an error: a commit whose outcome is unknown may have changed them.
  forget_keys();
  if (!appended) return std::unexpected(std::move(appended).error());
  return std::move(changed->key);
}

Result<std::vector<Key>> KeyRing::list() const {
  auto stored = store_.admin().keys();
  if (!stored) return std::unexpected(std::move(stored).error());
  std::vector<Key> keys;
  keys.reserve(stored->size());
  for (StoredKey& key : *stored)
    keys.push_back(std::move(key.key));
  return keys;
}

void KeyRing::forget_keys() {
  const std::lock_guard lock(mutex_);
  keys_.reset();
}

Result<std::shared_ptr<const KeyRing::Keys>> KeyRing::current_keys(
    std::chrono::milliseconds max_age) {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (keys_ && now - checked_at_ < max_age) return keys_;
  auto state = store_.events().state();
  if (!state) return std::unexpected(std::move(state).error());
  if (!keys_ || state->permission_version != keys_version_) {
    // Read after the version: keys newer than the version are re-read once more, never missed.
    auto stored = store_.admin().keys();
    if (!stored) return std::unexpected(std::move(stored).error());
    auto keys = std::make_shared<Keys>();
    for (StoredKey& key : *stored) {
      const Uuid key_id = key.key.key_id;
      if (key.key.name.starts_with(subject_key_prefix)) keys->subjects[key.key.name] = key_id;
      keys->by_id.emplace(key_id, std::move(key));
    }
    keys_ = std::move(keys);
    keys_version_ = state->permission_version;
  }
  checked_at_ = now;
  return keys_;
}

Result<Identity> KeyRing::authenticate(std::string_view secret) {
  const auto key_id = key_id_of(secret);
  if (!key_id) return not_authenticated();
  auto keys = current_keys();
  if (!keys) return std::unexpected(std::move(keys).error());
  const auto found = (*keys)->by_id.find(*key_id);
  const Timestamp now = clock_.now();
  if (found == (*keys)->by_id.end() ||
      !core::equal_constant_time(found->second.secret_hash, core::blake3(secret)) ||
      !found->second.key.active(now)) {
    return not_authenticated();
  }
  return identity_of(found->second.key, found->second.key.append, now);
}

StoredKey KeyRing::make_subject_key(std::string_view name) const {
  StoredKey made;
  made.key.key_id = ids_.random_id();
  made.key.name = name;
  made.key.created_at = clock_.now();
  made.key.principal = std::string{name.substr(subject_key_prefix.size())};
  // The hash of nothing that anybody knows.
  ids_.random_bytes(made.secret_hash);
  return made;
}

Result<std::optional<Identity>> KeyRing::find_subject(std::string_view subject,
                                                      const AllowedTypes& types) {
  const auto name = subject_key_name(subject);
  if (!name) return std::unexpected(name.error());
  auto keys = current_keys();
  if (!keys) return std::unexpected(std::move(keys).error());
  auto found = (*keys)->subjects.find(*name);
  if (found == (*keys)->subjects.end()) {
    // "None" has to be true now: it decides what a reader of its own events is shown.
    keys = current_keys(std::chrono::milliseconds{0});
    if (!keys) return std::unexpected(std::move(keys).error());
    found = (*keys)->subjects.find(*name);
    if (found == (*keys)->subjects.end()) return std::nullopt;
  }
  return identity_of_subject((*keys)->by_id.at(found->second).key, types, clock_.now());
}

Result<Identity> KeyRing::admit_subject(const WriteCapability& by, std::string_view subject,
                                        const AllowedTypes& types) {
  if (auto allowed = check_administrator(by); !allowed) {
    return std::unexpected(std::move(allowed).error());
  }
  auto known = find_subject(subject, types);
  if (!known) return std::unexpected(std::move(known).error());
  if (*known) return **std::move(known);
  const auto name = subject_key_name(subject);
  if (!name) return std::unexpected(name.error());
  std::optional<StoredKey> stored;
  const auto event = [&](AdminWriter& admin) -> Result<std::optional<core::Draft>> {
    auto existing = newest_key(admin, *name);
    if (!existing) return std::unexpected(std::move(existing).error());
    stored = *std::move(existing);
    if (stored) return std::nullopt;
    stored = make_subject_key(*name);
    // Refused before it is kept, when the types are bad.
    if (auto good = identity_of(stored->key, types, clock_.now()); !good) {
      return std::unexpected(std::move(good).error());
    }
    return preparer_.prepare_own(by.holder(), access_event("access.key_created", stored->key.key_id,
                                                           rights_payload(stored->key)));
  };
  const auto change = [&](AdminWriter& admin, const AppendedEvent&) {
    return admin.put_key(*stored);
  };
  auto appended =
      append_own_change(store_, clock_, write_timeout_, PermissionBump::yes, event, change);
  // Also after an error: a commit whose outcome is unknown may have changed them.
  forget_keys();
  if (!appended) return std::unexpected(std::move(appended).error());
  return identity_of_subject(stored->key, types, clock_.now());
}

}  // namespace annals::log
