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

/// The text forms of grants or ranges.
template <typename Values>
std::vector<std::string> texts_of(const Values& values) {
  std::vector<std::string> texts;
  for (const auto& value : values)
    texts.push_back(to_string(value));
  return texts;
}

/// The texts, separated by spaces; `-` when there are none.
template <typename Texts>
std::string joined(const Texts& texts) {
  std::string out;
  for (const auto& text : texts) {
    if (!out.empty()) out += ' ';
    out += printable(text);
  }
  return out.empty() ? "-" : out;
}

template <typename Texts>
void append_texts(std::string& out, std::string_view name, const Texts& texts) {
  wire::append_name(out, name);
  out += '[';
  bool first = true;
  for (const auto& text : texts) {
    if (!first) out += ',';
    first = false;
    wire::append_any_string(out, text);
  }
  out += ']';
}

void append_key_members(std::string& out, const Key& key) {
  wire::append_member(out, "key_id", to_string(key.key_id));
  wire::append_name(out, "name");
  wire::append_any_string(out, key.name);
  append_texts(out, "append", key.append);
  append_texts(out, "read", texts_of(key.read));
  if (key.principal) {
    wire::append_name(out, "principal");
    wire::append_any_string(out, *key.principal);
  }
  if (!key.from.empty()) append_texts(out, "from", texts_of(key.from));
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

std::string key_line(const Key& key) {
  std::string line = cell(key.name, 24) + "  " + to_string(key.key_id) + "  " +
                     cell(state_of(key), 18) + "  append " + joined(key.append) + "  read " +
                     joined(texts_of(key.read));
  if (key.principal) line += "  as " + printable(*key.principal);
  if (!key.from.empty()) line += "  from " + joined(texts_of(key.from));
  return line + '\n';
}

struct CreateOptions {
  std::string name;
  std::vector<std::string> append;
  std::vector<std::string> read;
  std::string principal;
  std::string expires;
  std::vector<std::string> from;
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
  for (const auto& text : options.read) {
    auto grant = parse_read_grant(text);
    if (!grant) return wrong_usage("--read: " + grant.error().detail);
    key.read.insert(std::move(*grant));
  }
  if (!options.principal.empty()) key.principal = options.principal;
  if (key.append.empty() && key.read.empty()) {
    return wrong_usage("a key needs --append, --read or both");
  }
  for (const auto& text : options.from) {
    const auto range = parse_address_range(text);
    if (!range) return wrong_usage("--from: " + range.error().detail);
    key.from.insert(*range);
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
      context.out() << key_line(key);
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
                      "  annals key create mobile-alex --append 'query.*' --read own \\\n"
                      "    --read channel=c1:read,notify --principal user/42 --expires 90d",
                      [options](Context& context) { return create(context, *options); });
  create_command.add_option("NAME", options->name, "Unique among the keys in use")->required();
  create_command
      .add_option("--append", options->append,
                  "Types it may append: names, prefix.* or *; comma separated or repeated")
      ->type_name("TYPES")
      ->allow_extra_args(false);
  create_command
      .add_option(
          "--read", options->read,
          "What it may read: all, own, space=ID, channel=ID, stream=PREFIX or type=PATTERN, "
          "then :ACTION,... for other actions than read; repeated, grants add up")
      ->type_name("GRANT")
      ->allow_extra_args(false);
  create_command
      .add_option("--principal", options->principal,
                  "Whom it stands for, such as user/42: it sees events with this audience")
      ->type_name("WHO")
      ->check([](const std::string& who) { return std::string(who.empty() ? "it is empty" : ""); });
  create_command
      .add_option("--from", options->from,
                  "Where it may be used from: 10.0.0.0/8, 2001:db8::/32 or one address; repeated")
      ->type_name("RANGE")
      ->allow_extra_args(false);
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
