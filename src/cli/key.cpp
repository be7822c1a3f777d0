#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "cli/text.hpp"
#include "config/value.hpp"
#include "core/capability_mint.hpp"
#include "wire/text.hpp"

namespace annals::cli {
namespace {

Timestamp now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

void append_key_members(std::string& out, const Key& key) {
  wire::append_member(out, "key_id", to_string(key.key_id));
  wire::append_name(out, "name");
  wire::append_any_string(out, key.name);
  wire::append_name(out, "append");
  out += '[';
  bool first = true;
  for (const auto& type : key.append) {
    if (!first) out += ',';
    first = false;
    wire::append_any_string(out, type);
  }
  out += ']';
  wire::append_member(out, "read", to_string(key.read));
  wire::append_member(out, "created_at", to_string(key.created_at));
  if (key.expires_at) wire::append_member(out, "expires_at", to_string(*key.expires_at));
  if (key.revoked_at) wire::append_member(out, "revoked_at", to_string(*key.revoked_at));
}

std::string key_json(const Key& key, const std::optional<std::string>& secret) {
  std::string out = "{";
  append_key_members(out, key);
  if (secret) wire::append_member(out, "secret", *secret);
  return out + "}\n";
}

std::string state_of(const Key& key) {
  if (key.revoked_at) return "revoked " + to_string(*key.revoked_at).substr(0, 10);
  if (!key.active(now())) return "expired " + to_string(*key.expires_at).substr(0, 10);
  if (key.expires_at) return "until " + to_string(*key.expires_at).substr(0, 10);
  return "active";
}

struct CreateOptions {
  std::string name;
  std::vector<std::string> append;
  std::string read = "none";
  std::string expires;
};

/// A duration from now, or an RFC 3339 time.
Outcome<std::optional<Timestamp>> expiry(const std::string& text) {
  if (text.empty()) return std::optional<Timestamp>{};
  if (const auto duration = config::parse_duration(text)) return std::optional(now() + *duration);
  if (const auto time = parse_timestamp(text)) return time;
  return wrong_usage("--expires needs a duration such as 90d, or an RFC 3339 time");
}

Outcome<NewKey> new_key(const CreateOptions& options) {
  NewKey key;
  key.name = options.name;
  std::string patterns;
  for (const auto& pattern : options.append) {
    if (!patterns.empty()) patterns += ',';
    patterns += pattern;
  }
  if (!patterns.empty()) {
    auto types = core::parse_allowed_types(patterns);
    if (!types) return wrong_usage("--append: " + types.error().detail);
    key.append = std::move(*types);
  }
  const auto grant = parse_read_grant(options.read);
  if (!grant) return wrong_usage("--read needs none, own or all");
  key.read = *grant;
  if (key.append.empty() && key.read == ReadGrant::none) {
    return wrong_usage("a key needs --append, --read or both");
  }
  auto expires_at = expiry(options.expires);
  if (!expires_at) return std::unexpected(std::move(expires_at.error()));
  key.expires_at = *expires_at;
  return key;
}

Outcome<ExitCode> create(Context& context, const CreateOptions& options) {
  auto key = new_key(options);
  if (!key) return std::unexpected(std::move(key.error()));
  auto log = context.open(Place::create);
  if (!log) return std::unexpected(std::move(log.error()));
  auto created = (*log)->create_key((*log)->local_admin(), std::move(*key));
  if (!created) return failed(std::move(created.error()));
  if (context.json()) {
    context.out() << key_json(created->key, created->secret);
    return ExitCode::ok;
  }
  // The secret alone on standard output, so that a script can take it.
  context.streams().err << "key " << printable(created->key.name) << " ("
                        << to_string(created->key.key_id)
                        << "): the secret is shown once and cannot be read again\n";
  context.out() << created->secret << '\n';
  return ExitCode::ok;
}

Outcome<ExitCode> list(Context& context) {
  auto log = context.open(Place::existing);
  if (!log) return std::unexpected(std::move(log.error()));
  auto keys = (*log)->keys();
  if (!keys) return failed(std::move(keys.error()));
  const bool table = context.streams().out_is_terminal && !context.json();
  for (const auto& key : *keys) {
    if (table) {
      context.out() << cell(key.name, 24) << "  " << to_string(key.key_id) << "  read "
                    << cell(to_string(key.read), 4) << "  " << cell(state_of(key), 18)
                    << "  append "
                    << (key.append.empty() ? "-" : printable(core::to_string(key.append))) << '\n';
    } else {
      context.out() << key_json(key, std::nullopt);
    }
  }
  if (table && keys->empty()) {
    context.streams().err << "no key yet: a server on this log serves everybody on this machine\n";
  }
  return ExitCode::ok;
}

Outcome<ExitCode> revoke(Context& context, const std::string& which) {
  auto log = context.open(Place::existing);
  if (!log) return std::unexpected(std::move(log.error()));
  auto revoked = (*log)->revoke_key((*log)->local_admin(), which);
  if (!revoked) return failed(std::move(revoked.error()));
  if (context.json()) {
    context.out() << key_json(*revoked, std::nullopt);
  } else {
    context.out() << "revoked " << printable(revoked->name) << " (" << to_string(revoked->key_id)
                  << ")\n";
  }
  return ExitCode::ok;
}

}  // namespace

void add_key(Program& program) {
  auto& group = program.group("key", "Create, list and revoke API keys",
                              "  annals key create mobile-alex --append 'query.*' --read own");

  auto options = std::make_shared<CreateOptions>();
  auto& create_command =
      program.command(group, "create", "Create a key; prints its secret, once",
                      "  annals key create mobile-alex --append 'query.*' --read own --expires 90d",
                      [options](Context& context) { return create(context, *options); });
  create_command.add_option("NAME", options->name, "Unique among the keys in use")->required();
  create_command
      .add_option("--append", options->append,
                  "Types it may append: names, prefix.* or *; comma separated or repeated")
      ->type_name("TYPES")
      ->allow_extra_args(false);
  create_command
      .add_option("--read", options->read, "What it may read: none (default), own or all")
      ->type_name("GRANT");
  create_command.add_option("--expires", options->expires, "A duration such as 90d, or a time")
      ->type_name("WHEN");

  program.command(group, "list", "List keys, revoked ones included", "  annals key list --json",
                  [](Context& context) { return list(context); });

  auto which = std::make_shared<std::string>();
  auto& revoke_command =
      program.command(group, "revoke", "Revoke a key; its open streams end within a second",
                      "  annals key revoke mobile-alex",
                      [which](Context& context) { return revoke(context, *which); });
  revoke_command.add_option("KEY", *which, "Name or key id")->required();
}

}  // namespace annals::cli
