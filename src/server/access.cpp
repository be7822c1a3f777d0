#include "server/access.hpp"

#include <algorithm>
#include <utility>

#include "core/hash.hpp"
#include "server/clock.hpp"
#include "server/jwt.hpp"
#include "wire/query.hpp"

namespace annals::server {

namespace {

bool may_come_from(const Key& key, const std::optional<IpAddress>& peer) {
  if (key.from.empty()) return true;
  return peer && std::ranges::any_of(
                     key.from, [&](const AddressRange& range) { return range.contains(*peer); });
}

/// The ticket in the query; empty when there is none.
Result<std::string> presented_ticket(const Request& request) {
  if (request.query.find("ticket=") == std::string::npos) return std::string{};
  const auto query = wire::Query::parse(request.query);
  if (!query) return std::unexpected(query.error());
  if (auto once = query->refuse_repeated("ticket"); !once) return std::unexpected(once.error());
  return std::string{query->value("ticket").value_or("")};
}

std::string subject_key_name(const std::string& subject) {
  return std::string{subject_key_prefix} + subject;
}

/// Whom limits count for a subject: the same before and after it has a key.
Uuid party_of(const std::string& subject) {
  const Digest hash = core::blake3(subject_key_name(subject));
  Uuid party;
  std::copy_n(hash.begin(), party.bytes.size(), party.bytes.begin());
  return party;
}

}  // namespace

Viewer ReadRights::viewer() const {
  if (reads_all(read)) return {.all = true, .reader = {{}, key_id, principal}, .keyless = {}};
  Viewer viewer{.all = false, .reader = {read, key_id, principal}, .keyless = {}};
  if (key_id.is_nil()) viewer.keyless = subject;
  return viewer;
}

Result<std::string_view> presented_key(const Request& request) {
  constexpr std::string_view scheme = "bearer ";
  const auto api_key = request.header("x-api-key");
  std::optional<std::string_view> bearer;
  if (const auto authorization = request.header("authorization")) {
    const bool is_bearer =
        authorization->size() > scheme.size() &&
        std::equal(scheme.begin(), scheme.end(), authorization->begin(),
                   [](char wanted, char c) { return wanted == (c | 0x20) || wanted == c; });
    if (!is_bearer) {
      return fail(ErrorCode::not_authenticated, "the only authorization scheme is Bearer");
    }
    bearer = authorization->substr(scheme.size());
  }
  if (api_key && bearer && *api_key != *bearer) {
    return fail(ErrorCode::not_authenticated, "two different keys were given");
  }
  if (api_key) return *api_key;
  return bearer.value_or(std::string_view{});
}

void AccessState::add(Key key) {
  const Uuid id = key.key_id;
  if (key.name.starts_with(subject_key_prefix)) subjects[key.name] = id;
  keys.emplace(id, std::move(key));
}

const Key* AccessState::key_of(const ReadRights& rights) const {
  Uuid id = rights.key_id;
  if (rights.subject) {
    const auto found = subjects.find(subject_key_name(*rights.subject));
    if (found == subjects.end()) return nullptr;
    id = found->second;
  }
  const auto found = keys.find(id);
  return found == keys.end() ? nullptr : &found->second;
}

bool AccessState::holds(const ReadRights& rights, Timestamp now) const {
  if (rights.open_mode) return open_mode;
  const Key* key = key_of(rights);
  if (rights.subject || key == nullptr) {
    // Keys are never removed: an unknown one is newer than this state.
    return (key == nullptr || !key->revoked_at) && (!rights.expires_at || now < *rights.expires_at);
  }
  return key->active(now) && key->principal == rights.principal &&
         may_come_from(*key, rights.peer) && std::ranges::includes(key->read, rights.read);
}

bool AccessState::holds(const Caller& caller, Timestamp now) const {
  if (!holds(static_cast<const ReadRights&>(caller), now)) return false;
  const Key* key = key_of(caller);
  return caller.subject || key == nullptr || !caller.capability ||
         std::ranges::includes(key->append, caller.capability->allowed_types());
}

bool AccessState::reads_the_same(const ReadRights& rights) const {
  const Key* key = key_of(rights);
  return rights.subject || key == nullptr || key->read == rights.read;
}

std::optional<Timestamp> AccessState::expires_at(const ReadRights& rights) const {
  const Key* key = key_of(rights);
  return rights.subject || key == nullptr ? rights.expires_at : key->expires_at;
}

bool AccessState::revoked(const ReadRights& rights) const {
  const Key* key = key_of(rights);
  return key != nullptr && key->revoked_at.has_value();
}

Result<void> Access::refresh() {
  const auto log_state = log_.state();
  if (!log_state) return std::unexpected(log_state.error());
  auto keys = log_.keys();
  if (!keys) return std::unexpected(keys.error());
  auto state = std::make_shared<AccessState>();
  state->open_mode = keys->empty() && tokens_ == nullptr;
  state->permission_version = log_state->permission_version;
  for (Key& key : *keys)
    state->add(std::move(key));
  const std::lock_guard lock{mutex_};
  if (state->permission_version >= state_->permission_version) state_ = std::move(state);
  return {};
}

std::shared_ptr<const AccessState> Access::state() const {
  const std::lock_guard lock{mutex_};
  return state_;
}

Result<bool> Access::open_mode() {
  const auto known = state();
  if (!known->open_mode) return false;
  // The very first key ends it, before the tail has told of that.
  const auto now = log_.state();
  if (!now) return std::unexpected(now.error());
  if (now->permission_version == known->permission_version) return true;
  if (auto refreshed = refresh(); !refreshed) return std::unexpected(refreshed.error());
  return state()->open_mode;
}

Result<Caller> Access::authenticate(const Request& request) {
  const auto ticket = presented_ticket(request);
  if (!ticket) return std::unexpected(ticket.error());
  if (ticket->empty()) return identify(request, std::nullopt);
  if (request.header("x-api-key") || request.header("authorization")) {
    return fail(ErrorCode::not_authenticated, "give a key or a ticket, not both");
  }
  const auto credential = tickets_.redeem(*ticket, Deadline::clock::now());
  if (!credential) {
    return fail(ErrorCode::not_authenticated, "the ticket is unknown, was used, or is out of date");
  }
  return identify(request, credential);
}

Result<Caller> Access::identify(const Request& request,
                                const std::optional<std::string>& credential) {
  const auto open = open_mode();
  if (!open) return std::unexpected(open.error());
  if (*open) return open_caller(request);
  const auto key = credential ? Result<std::string_view>{*credential} : presented_key(request);
  if (!key) return std::unexpected(key.error());
  if (key->empty()) {
    return fail(ErrorCode::not_authenticated, "give a key in X-API-Key or Authorization: Bearer");
  }
  if (tokens_ != nullptr && looks_like_jwt(*key)) return identify_subject(request, *key);
  auto identity = log_.authenticate(*key);
  if (!identity) return std::unexpected(identity.error());
  Key& known = identity->key;
  if (!may_come_from(known, request.peer)) {
    return fail(ErrorCode::not_authenticated, "the key may not be used from this address");
  }
  Caller caller;
  caller.key_id = caller.party = known.key_id;
  caller.read = std::move(known.read);
  caller.capability = std::move(identity->capability);
  caller.expires_at = known.expires_at;
  caller.principal = std::move(known.principal);
  caller.peer = request.peer;
  if (state()->revoked(caller)) {
    return fail(ErrorCode::not_authenticated, "the key is not valid");
  }
  return caller;
}

Result<Caller> Access::identify_subject(const Request& request, std::string_view token) const {
  auto checked = tokens_->verify(token, wall_clock());
  if (!checked) return std::unexpected(std::move(checked).error());
  auto known = log_.find_subject(checked->subject, checked->append);
  if (!known) return std::unexpected(std::move(known).error());
  Caller caller;
  if (*known) {
    caller.key_id = (*known)->key.key_id;
    caller.capability = std::move((*known)->capability);
  }
  caller.read = std::move(checked->read);
  caller.expires_at = checked->expires_at;
  caller.principal = checked->subject;
  caller.peer = request.peer;
  caller.append = std::move(checked->append);
  caller.party = party_of(checked->subject);
  caller.subject = std::move(checked->subject);
  if (state()->revoked(caller)) {
    return fail(ErrorCode::not_authenticated, "the subject's key was revoked");
  }
  return caller;
}

Result<void> Access::admit(Caller& caller) {
  auto identity =
      log_.admit_subject(log_.local_admin(), caller.subject.value_or(""), caller.append);
  if (!identity) return std::unexpected(std::move(identity).error());
  caller.key_id = identity->key.key_id;
  caller.capability = std::move(identity->capability);
  return {};
}

Result<bool> Access::learn_key(Viewer& viewer) const {
  if (!viewer.keyless) return false;
  auto known = log_.find_subject(*viewer.keyless, {});
  if (!known) return std::unexpected(std::move(known).error());
  if (!*known) return false;
  viewer.reader.key_id = (*known)->key.key_id;
  viewer.keyless.reset();
  return true;
}

Result<Caller> Access::open_caller(const Request& request) const {
  const auto host = request.header("host");
  if (host && !is_loopback_host(*host)) {
    return fail(ErrorCode::not_allowed,
                "without a key the log answers only under a loopback name such as localhost");
  }
  if (!cors_.trusts(request)) return std::unexpected(foreign_origin());
  Caller caller;
  caller.open_mode = true;
  caller.read = {ReadGrant::all()};
  caller.capability = log_.local_admin();
  caller.peer = request.peer;
  return caller;
}

bool is_loopback_host(std::string_view host) {
  if (host.starts_with('[')) {
    return host.substr(0, host.find(']') + 1) == "[::1]";
  }
  if (std::ranges::count(host, ':') > 1) return host == "::1";
  const std::string_view name = host.substr(0, host.find(':'));
  if (name == "localhost") return true;
  return name.starts_with("127.") && std::ranges::count(name, '.') == 3 &&
         name.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace annals::server
