#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
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

/// What `create` and `change` are told, as texts.
struct KeyOptions {
  std::string key;  ///< Its name; of an existing one also its id.
  std::vector<std::string> append;
  std::vector<std::string> read;
  std::string principal;
  bool no_principal = false;
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

Outcome<AllowedTypes> allowed_types(const std::vector<std::string>& texts) {
  std::string patterns;
  for (const auto& pattern : texts) {
    if (!patterns.empty()) patterns += ',';
    patterns += pattern;
  }
  if (patterns.empty()) return AllowedTypes{};
  auto types = core::parse_allowed_types(patterns);
  if (!types) return wrong_usage("--append: " + types.error().detail);
  return std::move(*types);
}

Outcome<ReadGrants> read_grants(const std::vector<std::string>& texts) {
  ReadGrants grants;
  for (const auto& text : texts) {
    auto grant = parse_read_grant(text);
    if (!grant) return wrong_usage("--read: " + grant.error().detail);
    grants.insert(std::move(*grant));
  }
  return grants;
}

Outcome<AddressRanges> address_ranges(const std::vector<std::string>& texts) {
  AddressRanges ranges;
  for (const auto& text : texts) {
    const auto range = parse_address_range(text);
    if (!range) return wrong_usage("--from: " + range.error().detail);
    ranges.insert(*range);
  }
  return ranges;
}

Outcome<NewKey> new_key(const KeyOptions& options) {
  NewKey key;
  key.name = options.key;
  auto append = allowed_types(options.append);
  if (!append) return std::unexpected(std::move(append.error()));
  key.append = std::move(*append);
  auto read = read_grants(options.read);
  if (!read) return std::unexpected(std::move(read.error()));
  key.read = std::move(*read);
  if (!options.principal.empty()) key.principal = options.principal;
  if (key.append.empty() && key.read.empty()) {
    return wrong_usage("a key needs --append, --read or both");
  }
  auto from = address_ranges(options.from);
  if (!from) return std::unexpected(std::move(from.error()));
  key.from = std::move(*from);
  auto expires_at = expiry(options.expires);
  if (!expires_at) return std::unexpected(std::move(expires_at.error()));
  key.expires_at = *expires_at;
  return key;
}

/// The list without the one word that stands for none.
std::vector<std::string> unless(std::string_view none, const std::vector<std::string>& texts) {
  if (texts.size() == 1 && texts.front() == none) return {};
  return texts;
}

Outcome<KeyChange> key_change(const KeyOptions& options) {
  KeyChange change;
  if (!options.append.empty()) {
    auto append = allowed_types(unless("none", options.append));
    if (!append) return std::unexpected(std::move(append.error()));
    change.append = std::move(*append);
  }
  if (!options.read.empty()) {
    auto read = read_grants(unless("none", options.read));
    if (!read) return std::unexpected(std::move(read.error()));
    change.read = std::move(*read);
  }
  if (!options.from.empty()) {
    auto from = address_ranges(unless("anywhere", options.from));
    if (!from) return std::unexpected(std::move(from.error()));
    change.from = std::move(*from);
  }
  if (!options.expires.empty()) {
    auto expires_at = expiry(options.expires == "never" ? "" : options.expires);
    if (!expires_at) return std::unexpected(std::move(expires_at.error()));
    change.expires_at = *expires_at;
  }
  if (options.no_principal) change.principal.emplace(std::nullopt);
  if (!options.principal.empty()) change.principal.emplace(options.principal);
  if (change == KeyChange{}) return wrong_usage("say what is to be different");
  return change;
}

Outcome<ExitCode> create(Context& context, const KeyOptions& options) {
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

Outcome<ExitCode> change(Context& context, const KeyOptions& options) {
  auto wanted = key_change(options);
  if (!wanted) return std::unexpected(std::move(wanted.error()));
  auto log = context.open(Place::existing);
  if (!log) return std::unexpected(std::move(log.error()));
  auto changed = (*log)->change_key((*log)->local_admin(), options.key, std::move(*wanted));
  if (!changed) return failed(std::move(changed.error()));
  context.out() << (context.json() ? key_json(*changed, std::nullopt) : key_line(*changed));
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

void add_right_options(CLI::App& command, KeyOptions& options) {
  command
      .add_option("--append", options.append,
                  "Types it may append: names, prefix.* or *; comma separated or repeated")
      ->type_name("TYPES")
      ->allow_extra_args(false);
  command
      .add_option(
          "--read", options.read,
          "What it may read: all, own, space=ID, channel=ID, stream=PREFIX or type=PATTERN, "
          "then :ACTION,... for other actions than read; repeated, grants add up")
      ->type_name("GRANT")
      ->allow_extra_args(false);
  command
      .add_option("--principal", options.principal,
                  "Whom it stands for, such as user/42: it sees events with this audience")
      ->type_name("WHO")
      ->check([](const std::string& who) { return std::string(who.empty() ? "it is empty" : ""); });
  command
      .add_option("--from", options.from,
                  "Where it may be used from: 10.0.0.0/8, 2001:db8::/32 or one address; repeated")
      ->type_name("RANGE")
      ->allow_extra_args(false);
  command.add_option("--expires", options.expires, "A duration such as 90d, or a time")
      ->type_name("WHEN");
}

}  // namespace

void add_key(Program& program) {
  auto& group = program.group("key", "Create, change, list and revoke API keys",
                              "  annals key create mobile-alex --append 'query.*' --read own");

  auto options = std::make_shared<KeyOptions>();
  auto& create_command =
      program.command(group, "create", "Create a key; prints its secret, once",
                      "  annals key create mobile-alex --append 'query.*' --read own \\\n"
                      "    --read channel=c1:read,notify --principal user/42 --expires 90d",
                      [options](Context& context) { return create(context, *options); });
  create_command.add_option("NAME", options->key, "Unique among the keys in use")->required();
  add_right_options(create_command, *options);

  auto changes = std::make_shared<KeyOptions>();
  auto& change_command = program.command(
      group, "change",
      "Change what a key may do; what is named is replaced: none, never and anywhere take away",
      "  annals key change mobile-alex --read own --read space=eu --expires never",
      [changes](Context& context) { return change(context, *changes); });
  change_command.add_option("KEY", changes->key, "Name or key id")->required();
  add_right_options(change_command, *changes);
  change_command.add_flag("--no-principal", changes->no_principal, "It stands for nobody")
      ->excludes("--principal");

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
