// The table of all keys. A key is here exactly when something reads it.

#include <algorithm>
#include <array>
#include <limits>
#include <regex>
#include <type_traits>
#include <utility>

#include "config/schema.hpp"
#include "core/origin.hpp"
#include "core/validate_names.hpp"

namespace annals::config {
namespace {

constexpr std::uint64_t second = 1000;
constexpr std::uint64_t minute = 60 * second;
constexpr std::uint64_t hour = 60 * minute;
constexpr std::uint64_t day = 24 * hour;
constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;
constexpr std::uint64_t gib = 1024 * mib;

struct Bounds {
  std::uint64_t min;
  std::uint64_t max;
};

// `field` maps Settings& to a reference to the member, for const and non-const settings alike, so
// that default, reading and writing of a key can never disagree about where it is kept.

template <typename Field>
Key text(std::string name, Field field, std::string shape,
         std::function<bool(const std::string&)> accepts, std::string doc) {
  Key key;
  key.name = std::move(name);
  key.type = Type::text;
  key.doc = std::move(doc);
  key.shape = std::move(shape);
  key.accepts = std::move(accepts);
  key.get = [field](const Settings& settings) { return Value(field(settings)); };
  key.set = [field](Settings& settings, const Value& value) {
    field(settings) = std::get<std::string>(value);
  };
  return key;
}

template <typename Field>
Key choice(std::string name, Field field, std::vector<std::string> words, std::string doc) {
  Key key = text(std::move(name), field, {}, {}, std::move(doc));
  key.type = Type::choice;
  key.choices = std::move(words);
  return key;
}

template <typename Field>
Key integer(std::string name, Field field, Bounds bounds, std::string doc) {
  Key key;
  key.name = std::move(name);
  key.type = Type::integer;
  key.doc = std::move(doc);
  key.min = bounds.min;
  key.max = bounds.max;
  key.get = [field](const Settings& settings) {
    return Value(static_cast<std::uint64_t>(field(settings)));
  };
  key.set = [field](Settings& settings, const Value& value) {
    auto& member = field(settings);
    member = static_cast<std::remove_reference_t<decltype(member)>>(std::get<std::uint64_t>(value));
  };
  return key;
}

template <typename Field>
Key size(std::string name, Field field, Bounds bounds, std::string doc) {
  Key key;
  key.name = std::move(name);
  key.type = Type::size;
  key.doc = std::move(doc);
  key.min = bounds.min;
  key.max = bounds.max;
  key.get = [field](const Settings& settings) {
    return Value(Size{static_cast<std::uint64_t>(field(settings))});
  };
  key.set = [field](Settings& settings, const Value& value) {
    auto& member = field(settings);
    member = static_cast<std::remove_reference_t<decltype(member)>>(std::get<Size>(value).bytes);
  };
  return key;
}

template <typename Field>
Key duration(std::string name, Field field, Bounds bounds, std::string doc) {
  using Member = std::remove_reference_t<decltype(field(std::declval<Settings&>()))>;
  Key key;
  key.name = std::move(name);
  key.type = Type::duration;
  key.doc = std::move(doc);
  key.min = bounds.min;
  key.max = bounds.max;
  // A member in coarser ticks cannot hold what lies between them.
  key.step = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(Member(1)).count());
  key.get = [field](const Settings& settings) {
    return Value(std::chrono::milliseconds(field(settings)));
  };
  key.set = [field](Settings& settings, const Value& value) {
    field(settings) =
        std::chrono::duration_cast<Member>(std::get<std::chrono::milliseconds>(value));
  };
  return key;
}

bool is_store_url(const std::string& url) {
  return url == "memory:" || (url.starts_with("sqlite:") && url.size() > 7);
}

bool is_regular_expression(const std::string& pattern) {
  if (pattern.empty() || pattern.size() > 1000) return false;
  try {
    [[maybe_unused]] const std::regex compiled(pattern);
    return true;
  } catch (const std::regex_error&) {
    return false;
  }
}

bool is_address(const std::string& listen) {
  const auto colon = listen.rfind(':');
  if (colon == std::string::npos || colon == 0) return false;
  const auto host = std::string_view(listen).substr(0, colon);
  if (host.starts_with('[')) {
    if (!host.ends_with(']') || host.size() == 2) return false;
  } else if (host.find(':') != std::string_view::npos) {
    return false;
  }
  if (host.find_first_of(" \t/@") != std::string_view::npos) return false;
  const auto port = parse_integer(std::string_view(listen).substr(colon + 1));
  return port && *port <= 65'535;
}

bool is_path(const std::string& path) {
  return path.find('\0') == std::string::npos;
}

bool is_origins(const std::string& list) {
  return core::parse_origins(list).has_value();
}

bool is_token(const std::string& token) {
  const auto printable = [](char c) { return c > ' ' && c <= '~'; };
  return token.empty() || (token.size() >= 16 && std::ranges::all_of(token, printable));
}

bool is_server_url(const std::string& url) {
  // A name in front of the host would be a key in a URL.
  return url.empty() || ((url.starts_with("http://") || url.starts_with("https://")) &&
                         url.find_first_of("@?# ") == std::string::npos);
}

bool is_jwt_algorithm(const std::string& name) {
  return name.empty() || name == "HS256" || name == "EdDSA";
}

bool is_claim_value(const std::string& text) {
  return text.empty() || core::is_plain_text(text);
}

bool is_grants_claim(const std::string& name) {
  // The others mean something already.
  static constexpr std::array<std::string_view, 7> registered{"iss", "sub", "aud", "exp",
                                                              "nbf", "iat", "jti"};
  return core::is_plain_text(name) && std::ranges::find(registered, name) == registered.end();
}

bool is_api_key(const std::string& key) {
  return std::ranges::all_of(key, [](char c) { return c > ' ' && c <= '~'; });
}

Key nulls_key() {
  static constexpr std::array<std::pair<std::string_view, NullPolicy>, 2> words{
      {{"refuse", NullPolicy::refuse}, {"strip", NullPolicy::strip}}};
  Key key;
  key.name = "events.nulls";
  key.type = Type::choice;
  key.doc = "What happens to null members of a payload: the event is refused, or they are removed.";
  for (const auto& [word, policy] : words)
    key.choices.emplace_back(word);
  key.get = [](const Settings& settings) {
    for (const auto& [word, policy] : words) {
      if (policy == settings.open.log.events.nulls) return Value(std::string(word));
    }
    return Value(std::string{});
  };
  key.set = [](Settings& settings, const Value& value) {
    for (const auto& [word, policy] : words) {
      if (word == std::get<std::string>(value)) settings.open.log.events.nulls = policy;
    }
  };
  return key;
}

#define ANNALS_FIELD(path) ([](auto& settings) -> auto& { return settings.path; })

void add_store_keys(std::vector<Key>& keys) {
  keys.push_back(text("store", ANNALS_FIELD(store), R"(a store URL such as "sqlite:annals.db")",
                      is_store_url,
                      "Where the log is kept: `sqlite:<path>`, or `memory:` (gone when the program "
                      "ends; for trying things out)."));
  keys.push_back(duration("sqlite.busy_timeout", ANNALS_FIELD(open.sqlite_busy_timeout),
                          {0, 5 * minute},
                          "How long a writer waits for writers in other processes."));
  keys.push_back(size("sqlite.disk_reserve", ANNALS_FIELD(open.sqlite_disk_reserve),
                      {0, 1024 * gib},
                      "How much of the log's volume is left for what must be possible when it is "
                      "full, such as revoking a key: appends are refused before (`store_full`), "
                      "until there is space again. 0 leaves nothing."));
}

void add_log_keys(std::vector<Key>& keys) {
  keys.push_back(text("events.type_pattern", ANNALS_FIELD(open.log.events.type_pattern),
                      "an ECMAScript regular expression of at most 1000 bytes",
                      is_regular_expression, "What the type of an event has to match."));
  keys.push_back(size("events.payload_max_bytes", ANNALS_FIELD(open.log.events.payload_max_bytes),
                      {kib, 512 * kib},
                      "Largest payload as stored. Above 56KiB common clients may cut SSE lines."));
  keys.push_back(size("events.envelope_max_bytes", ANNALS_FIELD(open.log.events.envelope_max_bytes),
                      {kib, 64 * kib}, "Largest envelope without its payload."));
  keys.push_back(nulls_key());

  keys.push_back(size("append.queue_max_bytes", ANNALS_FIELD(open.log.append.queue_max_bytes),
                      {64 * kib, 4 * gib}, "How much may wait to be committed."));
  keys.push_back(duration("append.queue_timeout", ANNALS_FIELD(open.log.append.queue_timeout),
                          {0, 5 * minute},
                          "How long a request waits for room in the queue before `busy`."));
  keys.push_back(size("append.request_max_bytes", ANNALS_FIELD(open.log.append.request_max_bytes),
                      {kib, gib}, "Largest request."));
  keys.push_back(integer("append.request_max_events",
                         ANNALS_FIELD(open.log.append.request_max_events), {1, 1'000'000},
                         "Most events of one request."));
  keys.push_back(integer("append.group_max_events", ANNALS_FIELD(open.log.append.group_max_events),
                         {1, 1'000'000}, "A commit takes requests until it has this many events."));
  keys.push_back(duration("append.idempotency_window",
                          ANNALS_FIELD(open.log.append.idempotency_window), {hour, 3650 * day},
                          "How long `Idempotency-Key` and `client_msg_id` are remembered."));

  keys.push_back(duration("unit.max_duration", ANNALS_FIELD(open.log.unit.max_duration), {10, hour},
                          "Longest unit of work; then it is rolled back."));
  keys.push_back(duration("unit.audit_timeout", ANNALS_FIELD(open.log.unit.audit_timeout),
                          {1, 5 * minute}, "Longest time for the audit hooks of a unit."));

  keys.push_back(integer("chain.head_cache", ANNALS_FIELD(open.log.chain_head_cache),
                         {0, 10'000'000}, "Stream heads kept in memory."));
  keys.push_back(size("verify.memory", ANNALS_FIELD(open.log.verify_memory), {mib, 1024 * gib},
                      "Memory of a verification; with more streams than fit it takes several "
                      "passes."));
}

void add_server_keys(std::vector<Key>& keys) {
  keys.push_back(
      text("server.listen", ANNALS_FIELD(server.listen),
           R"(an address and a port such as "127.0.0.1:7420" or "[::1]:7420")", is_address,
           "Where the server listens; port 0 takes a free one. While the log has no key, "
           "and without `jwt.algorithm`, only loopback addresses are accepted."));
  keys.push_back(text("server.tls_cert", ANNALS_FIELD(server.tls_cert),
                      "the path of a PEM file, or nothing", is_path,
                      "The server's certificate, followed by those that lead to its root. With it, "
                      "connections use TLS. Read anew when it changes."));
  keys.push_back(text("server.tls_key", ANNALS_FIELD(server.tls_key),
                      "the path of a PEM file, or nothing", is_path,
                      "The private key of `server.tls_cert`."));
  keys.push_back(text(
      "server.cors_origins", ANNALS_FIELD(server.cors_origins),
      R"(origins such as "https://app.example.com, http://localhost:3000", or nothing)", is_origins,
      "Web pages of these origins may use the server; all of scheme, host and port "
      "has to match. Without any, browsers let pages of other origins read "
      "nothing."));
  keys.push_back(integer("server.threads", ANNALS_FIELD(server.threads), {0, 1024},
                         "Threads that serve connections; 0 is one per processor."));
  keys.push_back(integer("server.workers", ANNALS_FIELD(server.workers), {1, 1024},
                         "Threads that read the store for the others."));
  keys.push_back(integer("server.max_connections", ANNALS_FIELD(server.max_connections),
                         {1, 1'000'000}, "Most open connections of any kind."));
  keys.push_back(duration("server.head_timeout", ANNALS_FIELD(server.head_timeout), {100, hour},
                          "How long the head of a request may take to arrive."));
  keys.push_back(duration("server.idle_timeout", ANNALS_FIELD(server.idle_timeout), {100, day},
                          "How long a connection may be idle between two requests."));
  keys.push_back(duration("server.body_timeout", ANNALS_FIELD(server.body_timeout), {100, hour},
                          "How long the body of a request may make no progress."));
  keys.push_back(duration("server.write_timeout", ANNALS_FIELD(server.write_timeout), {100, hour},
                          "How long an answer may make no progress."));
  keys.push_back(duration("server.shutdown_timeout", ANNALS_FIELD(server.shutdown_timeout),
                          {0, hour}, "How long the end of the server waits for open requests."));
}

void add_reading_keys(std::vector<Key>& keys) {
  keys.push_back(integer("page.max_scan", ANNALS_FIELD(server.page_max_scan), {1000, 100'000'000},
                         "A filtered page ends after this many events even when it is empty."));
  keys.push_back(duration("read.wait_for", ANNALS_FIELD(server.read_wait_for), {0, 5 * minute},
                          "How long a read with `min_seq` waits for the log to get that far."));
  keys.push_back(duration("read.max_wait", ANNALS_FIELD(server.read_max_wait), {0, hour},
                          "Longest `wait` of a long poll."));
  keys.push_back(integer("ndjson.max_in_flight", ANNALS_FIELD(server.ndjson_max_in_flight),
                         {1, 1'000'000},
                         "Lines of one NDJSON request that are read and not yet committed."));
  keys.push_back(size("ndjson.max_in_flight_bytes", ANNALS_FIELD(server.ndjson_max_in_flight_bytes),
                      {64 * kib, gib}, "The same in bytes."));
  keys.push_back(size("ndjson.max_unsent_bytes", ANNALS_FIELD(server.ndjson_max_unsent_bytes),
                      {64 * kib, gib}, "Answers of one NDJSON request that wait to be sent."));
  keys.push_back(
      size("hub.cache_bytes", ANNALS_FIELD(server.hub_cache_bytes), {mib, 1024 * gib},
           "The most recent events kept in memory, encoded, for readers near the head."));
  keys.push_back(duration("tail.poll_interval", ANNALS_FIELD(server.tail_poll_interval),
                          {10, minute}, "How often the log is looked at without a wake-up."));
  keys.push_back(duration("tail.stall_timeout", ANNALS_FIELD(server.tail_stall_timeout),
                          {100, hour},
                          "How much longer than `tail.poll_interval` delivery may stand still "
                          "behind the head of the log before `/readyz` answers 503."));
  keys.push_back(integer("tail.batch_size", ANNALS_FIELD(server.tail_batch_size), {1, 1000},
                         "Most events the tail reads at once."));
  keys.push_back(integer("subscriber.max_connections",
                         ANNALS_FIELD(server.subscriber_max_connections), {1, 1'000'000},
                         "Most open event streams; one more is answered 503."));
  keys.push_back(integer("subscriber.max_per_key", ANNALS_FIELD(server.subscriber_max_per_key),
                         {0, 1'000'000},
                         "Most open event streams of one key; one more is answered 503. 0: no "
                         "limit."));
  keys.push_back(size("subscriber.max_pending_bytes",
                      ANNALS_FIELD(server.subscriber_max_pending_bytes), {64 * kib, gib},
                      "Most bytes queued for one subscriber."));
  keys.push_back(duration("subscriber.write_timeout", ANNALS_FIELD(server.subscriber_write_timeout),
                          {100, hour},
                          "A subscriber is cut when a write makes no progress for this long."));
  keys.push_back(duration("subscriber.keepalive", ANNALS_FIELD(server.subscriber_keepalive),
                          {100, hour}, "A comment is sent after this much silence."));
  keys.push_back(duration("subscriber.expiring_before",
                          ANNALS_FIELD(server.subscriber_expiring_before), {0, day},
                          "How long before its key expires a subscriber is sent `expiring`."));
  keys.push_back(integer("subscriber.checkpoint_every",
                         ANNALS_FIELD(server.subscriber_checkpoint_every), {1, 1'000'000},
                         "A filtered stream tells its position after this many events without a "
                         "match."));
}

void add_rate_keys(std::vector<Key>& keys) {
  keys.push_back(integer("rate.ip_requests", ANNALS_FIELD(server.rate_ip_requests), {0, 1'000'000},
                         "Requests a second from one address (of IPv6, one /64), counted before "
                         "anything else is looked at; more are answered 429. 0: no limit. Behind a "
                         "proxy everybody comes from its address."));
  keys.push_back(integer("rate.key_events", ANNALS_FIELD(server.rate_key_events),
                         {0, 1'000'000'000},
                         "Events a second appended with one key; more are answered 429, lines of "
                         "NDJSON wait. 0: no limit."));
  keys.push_back(size("rate.key_bytes", ANNALS_FIELD(server.rate_key_bytes), {0, 1024 * gib},
                      "The same in bytes of bodies a second."));
  keys.push_back(duration("rate.burst", ANNALS_FIELD(server.rate_burst), {100, hour},
                          "Of each rate, what comes in during this time may be saved up."));
}

void add_jwt_keys(std::vector<Key>& keys) {
  keys.push_back(text("jwt.algorithm", ANNALS_FIELD(server.jwt_algorithm),
                      "HS256 or EdDSA, or nothing", is_jwt_algorithm,
                      "How JSON Web Tokens are signed that do instead of a key. Without it, tokens "
                      "are not taken; with it, there is no open mode."));
  keys.push_back(text("jwt.key_file", ANNALS_FIELD(server.jwt_key_file),
                      "the path of a file, or nothing", is_path,
                      "What signatures are checked with: of HS256 a file with the secret, at least "
                      "32 bytes, a newline at its end left out; of EdDSA a public key of Ed25519 "
                      "as PEM. Read at the start."));
  keys.push_back(text("jwt.issuer", ANNALS_FIELD(server.jwt_issuer),
                      "at most 200 bytes of text, or nothing", is_claim_value,
                      "What `iss` of a token must be; without it, `iss` is not looked at."));
  keys.push_back(
      text("jwt.audience", ANNALS_FIELD(server.jwt_audience),
           "at most 200 bytes of text, or nothing", is_claim_value,
           "What `aud` of a token must be or hold; without it, `aud` is not looked at."));
  keys.push_back(text("jwt.claim", ANNALS_FIELD(server.jwt_claim),
                      "a name that is not one of the registered claims", is_grants_claim,
                      "The claim of a token with its grants."));
  keys.push_back(duration("jwt.leeway", ANNALS_FIELD(server.jwt_leeway), {0, 5 * minute},
                          "How much the clock of who makes tokens may differ: `exp` and `nbf` "
                          "hold so much longer."));
}

void add_ticket_keys(std::vector<Key>& keys) {
  keys.push_back(duration("ticket.lifetime", ANNALS_FIELD(server.ticket_lifetime), {second, minute},
                          "How long a ticket can be used, once."));
  keys.push_back(integer("ticket.max_open", ANNALS_FIELD(server.ticket_max_open), {1, 1'000'000},
                         "Most tickets that are neither used nor out of date; one more is answered "
                         "503."));
}

void add_metrics_keys(std::vector<Key>& keys) {
  keys.push_back(text("metrics.token", ANNALS_FIELD(server.metrics_token),
                      "at least 16 characters without spaces, or nothing", is_token,
                      "What a scraper of `/metrics` presents as `Authorization: Bearer`. Without "
                      "it, the metrics are "
                      "there for everybody who reaches the server."));
  keys.back().secret = true;
}

void add_client_keys(std::vector<Key>& keys) {
  keys.push_back(
      text("client.server", ANNALS_FIELD(client.server),
           "the URL of a server such as \"http://127.0.0.1:7420\", without a key in it, "
           "or nothing",
           is_server_url,
           "Commands work on the log of this server instead of `store`; `--store` wins."));
  keys.push_back(text("client.api_key", ANNALS_FIELD(client.api_key),
                      "the secret of an API key, or nothing", is_api_key,
                      "The key that they present to it."));
  keys.back().secret = true;
  keys.push_back(text("client.ca_file", ANNALS_FIELD(client.ca_file),
                      "the path of a PEM file, or nothing", is_path,
                      "The certificates trusted for `https`; without it, those of the system."));
}

void add_logging_keys(std::vector<Key>& keys) {
  keys.push_back(choice("log.level", ANNALS_FIELD(logging.level),
                        {"debug", "info", "warn", "error", "off"},
                        "Least important message the server writes to standard error."));
  keys.push_back(choice("log.format", ANNALS_FIELD(logging.format), {"text", "json"},
                        "How it writes them: for people, or one JSON object a line."));
}

#undef ANNALS_FIELD

}  // namespace

const std::vector<Key>& schema() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> all;
    add_store_keys(all);
    add_log_keys(all);
    add_server_keys(all);
    add_reading_keys(all);
    add_rate_keys(all);
    add_jwt_keys(all);
    add_ticket_keys(all);
    add_metrics_keys(all);
    add_client_keys(all);
    add_logging_keys(all);
    return all;
  }();
  return keys;
}

const std::vector<CrossRule>& cross_rules() {
  static const std::vector<CrossRule> rules{
      {"append.request_max_bytes",
       "at least events.payload_max_bytes plus events.envelope_max_bytes",
       [](const Settings& settings) {
         const auto& log = settings.open.log;
         return log.append.request_max_bytes >=
                log.events.payload_max_bytes + log.events.envelope_max_bytes;
       }},
      {"append.queue_max_bytes", "at least append.request_max_bytes",
       [](const Settings& settings) {
         const auto& append = settings.open.log.append;
         return append.queue_max_bytes >= append.request_max_bytes;
       }},
      {"jwt.key_file", "given together with jwt.algorithm",
       [](const Settings& settings) {
         return settings.server.jwt_algorithm.empty() == settings.server.jwt_key_file.empty();
       }},
      {"subscriber.max_pending_bytes",
       "at least events.payload_max_bytes plus events.envelope_max_bytes plus 1KiB",
       [](const Settings& settings) {
         const auto& events = settings.open.log.events;
         return settings.server.subscriber_max_pending_bytes >=
                events.payload_max_bytes + events.envelope_max_bytes + kib;
       }},
  };
  return rules;
}

}  // namespace annals::config
