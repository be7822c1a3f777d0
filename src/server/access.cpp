#include "server/access.hpp"

#include <algorithm>
#include <utility>

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

}  // namespace

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

bool AccessState::holds(const Caller& caller, Timestamp now) const {
  if (caller.open_mode) return open_mode;
  const auto found = keys.find(caller.key_id);
  // Keys are never removed: an unknown one is newer than this state.
  if (found == keys.end()) return !caller.expires_at || now < *caller.expires_at;
  const Key& key = found->second;
  return key.active(now) && key.principal == caller.principal && may_come_from(key, caller.peer) &&
         std::ranges::includes(key.read, caller.read) &&
         (!caller.capability ||
          std::ranges::includes(key.append, caller.capability->allowed_types()));
}

bool AccessState::reads_the_same(const Caller& caller) const {
  const auto found = keys.find(caller.key_id);
  return found == keys.end() || found->second.read == caller.read;
}

std::optional<Timestamp> AccessState::expires_at(const Caller& caller) const {
  const auto found = keys.find(caller.key_id);
  return found == keys.end() ? caller.expires_at : found->second.expires_at;
}

bool AccessState::revoked(const Uuid& key_id) const {
  const auto found = keys.find(key_id);
  return found != keys.end() && found->second.revoked_at.has_value();
}

Result<void> Access::refresh() {
  const auto log_state = log_.state();
  if (!log_state) return std::unexpected(log_state.error());
  auto keys = log_.keys();
  if (!keys) return std::unexpected(keys.error());
  auto state = std::make_shared<AccessState>();
  state->open_mode = keys->empty();
  state->permission_version = log_state->permission_version;
  for (Key& key : *keys) {
    const Uuid id = key.key_id;
    state->keys.emplace(id, std::move(key));
  }
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
  auto identity = log_.authenticate(*key);
  if (!identity) return std::unexpected(identity.error());
  if (state()->revoked(identity->key.key_id)) {
    return fail(ErrorCode::not_authenticated, "the key is not valid");
  }
  Key& known = identity->key;
  if (!may_come_from(known, request.peer)) {
    return fail(ErrorCode::not_authenticated, "the key may not be used from this address");
  }
  return Caller{.open_mode = false,
                .key_id = known.key_id,
                .read = std::move(known.read),
                .capability = std::move(identity->capability),
                .expires_at = known.expires_at,
                .principal = std::move(known.principal),
                .peer = request.peer};
}

Result<Caller> Access::open_caller(const Request& request) const {
  const auto host = request.header("host");
  if (host && !is_loopback_host(*host)) {
    return fail(ErrorCode::not_allowed,
                "without a key the log answers only under a loopback name such as localhost");
  }
  if (!cors_.trusts(request)) return std::unexpected(foreign_origin());
  return Caller{.open_mode = true,
                .key_id = {},
                .read = {ReadGrant::all()},
                .capability = log_.local_admin(),
                .expires_at = {},
                .principal = {},
                .peer = request.peer};
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
