#include "store/sqlite/admin_tables.hpp"

#include <algorithm>
#include <limits>

#include "store/sqlite/codec.hpp"
#include "store/sqlite/error.hpp"
#include "store/sqlite/seq_runs.hpp"
#include "store/sqlite/statements.hpp"

namespace annals::store::sqlite {
namespace {

/// Kinds of the rules of a key.
constexpr std::string_view append_rule = "append";
constexpr std::string_view read_rule = "read";
constexpr std::string_view from_rule = "from";

std::int64_t micros(Timestamp time) {
  return time.time_since_epoch().count();
}

void bind_time(Query& query, int index, const std::optional<Timestamp>& time) {
  if (time) {
    query.bind(index, micros(*time));
  } else {
    query.bind_null(index);
  }
}

std::unexpected<Error> corrupt_key(const Uuid& key_id) {
  return std::unexpected(corrupt("key " + to_string(key_id) + ": its row is unreadable"));
}

/// The key in the current row, without its rules.
Result<log::StoredKey> read_key(Query& query) {
  RowReader row(query);
  log::StoredKey stored;
  stored.key.key_id = row.uuid();
  stored.key.name = row.text();
  stored.key.principal = row.optional_text();
  stored.key.created_at = row.time();
  stored.key.expires_at = row.optional_time();
  stored.key.revoked_at = row.optional_time();
  stored.secret_hash = row.digest();
  if (!row.ok()) return corrupt_key(stored.key.key_id);
  return stored;
}

/// Adds one rule as it is stored; false when it is none.
bool add_rule(Key& key, std::string_view kind, std::string_view rule) {
  if (kind == append_rule) {
    key.append.emplace(rule);
    return true;
  }
  if (kind == read_rule) {
    auto grant = parse_read_grant(rule);
    if (grant) key.read.insert(std::move(*grant));
    return grant.has_value();
  }
  const auto range = parse_address_range(rule);
  if (kind != from_rule || !range) return false;
  key.from.insert(*range);
  return true;
}

Result<void> add_rules(Statements& statements, Key& key) {
  auto query = statements.query(select_key_rules);
  if (!query) return std::unexpected(query.error());
  query->bind(1, key.key_id.bytes);
  for (;;) {
    const auto row = query->step();
    if (!row) return std::unexpected(row.error());
    if (!*row) return {};
    if (!add_rule(key, query->text(0), query->text(1))) return corrupt_key(key.key_id);
  }
}

/// Runs a statement with one key id.
Result<void> run_for_key(Statements& statements, const char* sql, const Uuid& key_id) {
  auto query = statements.query(sql);
  if (!query) return std::unexpected(query.error());
  query->bind(1, key_id.bytes);
  return query->run();
}

Result<void> store_rule(Statements& statements, const Uuid& key_id, std::string_view kind,
                        std::string_view rule) {
  auto query = statements.query(insert_key_rule);
  if (!query) return std::unexpected(query.error());
  query->bind(1, key_id.bytes).bind(2, kind).bind(3, rule);
  return query->run();
}

}  // namespace

Result<std::vector<log::StoredKey>> load_keys(Statements& statements) {
  std::vector<log::StoredKey> keys;
  {
    auto query = statements.query(select_keys);
    if (!query) return std::unexpected(query.error());
    for (;;) {
      const auto row = query->step();
      if (!row) return std::unexpected(row.error());
      if (!*row) break;
      auto key = read_key(*query);
      if (!key) return std::unexpected(key.error());
      keys.push_back(std::move(*key));
    }
  }
  for (auto& stored : keys) {
    if (auto added = add_rules(statements, stored.key); !added) {
      return std::unexpected(added.error());
    }
  }
  return keys;
}

Result<std::optional<log::StoredKey>> load_key(Statements& statements, const Uuid& key_id) {
  std::optional<log::StoredKey> found;
  {
    auto query = statements.query(select_key);
    if (!query) return std::unexpected(query.error());
    query->bind(1, key_id.bytes);
    const auto row = query->step();
    if (!row) return std::unexpected(row.error());
    if (!*row) return found;
    auto key = read_key(*query);
    if (!key) return std::unexpected(key.error());
    found = std::move(*key);
  }
  if (auto added = add_rules(statements, found->key); !added) return std::unexpected(added.error());
  return found;
}

Result<log::StoredCatalogue> load_catalogue(Statements& statements) {
  auto query = statements.query(select_catalogue);
  if (!query) return std::unexpected(query.error());
  const auto row = query->step();
  if (!row) return std::unexpected(row.error());
  log::StoredCatalogue catalogue;
  if (!*row) return catalogue;
  RowReader reader(*query);
  catalogue.document = reader.text();
  catalogue.version = reader.counter();
  if (!reader.ok()) return std::unexpected(corrupt("the catalogue's row is unreadable"));
  return catalogue;
}

namespace {

Result<void> store_key(Statements& statements, const log::StoredKey& stored) {
  const auto state = load_state(statements);
  if (!state) return std::unexpected(state.error());
  const auto& key = stored.key;
  if (key.key_id == state->local_key_id) {
    return fail(ErrorCode::internal, "the reserved key does not change");
  }
  {
    auto query = statements.query(put_key_row);
    if (!query) return std::unexpected(query.error());
    query->bind(1, key.key_id.bytes).bind(2, std::string_view(key.name));
    if (key.principal) {
      query->bind(3, std::string_view(*key.principal));
    } else {
      query->bind_null(3);
    }
    query->bind(4, micros(key.created_at));
    bind_time(*query, 5, key.expires_at);
    bind_time(*query, 6, key.revoked_at);
    query->bind(7, stored.secret_hash);
    if (auto done = query->run(); !done) return done;
  }
  if (auto done = run_for_key(statements, delete_key_rules, key.key_id); !done) return done;
  for (const auto& type : key.append) {
    if (auto done = store_rule(statements, key.key_id, append_rule, type); !done) return done;
  }
  for (const auto& grant : key.read) {
    auto done = store_rule(statements, key.key_id, read_rule, to_string(grant));
    if (!done) return done;
  }
  for (const auto& range : key.from) {
    auto done = store_rule(statements, key.key_id, from_rule, to_string(range));
    if (!done) return done;
  }
  return {};
}

Result<void> store_catalogue(Statements& statements, const log::StoredCatalogue& catalogue) {
  auto query = statements.query(put_catalogue_row);
  if (!query) return std::unexpected(query.error());
  query->bind(1, std::string_view(catalogue.document)).bind(2, catalogue.version);
  return query->run();
}

Result<std::optional<log::StoredAnswer>> load_answer(Statements& statements, const Uuid& key_id,
                                                     std::string_view idempotency_key) {
  auto query = statements.query(select_answer);
  if (!query) return std::unexpected(query.error());
  query->bind(1, key_id.bytes).bind(2, idempotency_key);
  const auto row = query->step();
  if (!row) return std::unexpected(row.error());
  if (!*row) return std::nullopt;
  RowReader reader(*query);
  log::StoredAnswer answer{key_id, std::string(idempotency_key), {}, 0, {}, {}};
  answer.request_hash = reader.digest();
  answer.status = static_cast<int>(reader.counter());
  auto seqs = decode_seqs(reader.text());
  answer.recorded_at = reader.time();
  if (!reader.ok() || !seqs) return std::unexpected(corrupt("a stored answer is unreadable"));
  answer.seqs = std::move(*seqs);
  return answer;
}

Result<void> store_answer(Statements& statements, const log::StoredAnswer& answer) {
  const auto seqs = encode_seqs(answer.seqs);
  auto query = statements.query(put_answer_row);
  if (!query) return std::unexpected(query.error());
  query->bind(1, answer.key_id.bytes).bind(2, std::string_view(answer.idempotency_key));
  query->bind(3, answer.request_hash).bind(4, std::int64_t{answer.status});
  query->bind(5, std::string_view(seqs)).bind(6, micros(answer.recorded_at));
  return query->run();
}

Result<std::optional<log::ClientMessage>> load_message(Statements& statements,
                                                       const Digest& digest) {
  auto query = statements.query(select_client_message);
  if (!query) return std::unexpected(query.error());
  query->bind(1, digest);
  const auto row = query->step();
  if (!row) return std::unexpected(row.error());
  if (!*row) return std::nullopt;
  RowReader reader(*query);
  log::ClientMessage message{digest, 0, {}};
  message.seq = reader.counter();
  message.recorded_at = reader.time();
  if (!reader.ok()) return std::unexpected(corrupt("a client message's row is unreadable"));
  return message;
}

Result<void> store_message(Statements& statements, const log::ClientMessage& message) {
  auto query = statements.query(put_client_message_row);
  if (!query) return std::unexpected(query.error());
  query->bind(1, message.digest).bind(2, message.seq).bind(3, micros(message.recorded_at));
  return query->run();
}

Result<void> expire(Statements& statements, Timestamp time, std::size_t limit) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  for (const char* sql : {expire_answers, expire_client_messages}) {
    auto query = statements.query(sql);
    if (!query) return std::unexpected(query.error());
    query->bind(1, micros(time)).bind(2, static_cast<std::int64_t>(std::min(limit, most)));
    if (auto done = query->run(); !done) return done;
  }
  return {};
}

}  // namespace

Result<std::vector<log::StoredKey>> AdminTables::keys() {
  return status_.read([&] { return load_keys(statements_); });
}

Result<void> AdminTables::put_key(const log::StoredKey& key) {
  return status_.write([&] { return store_key(statements_, key); });
}

Result<log::StoredCatalogue> AdminTables::catalogue() {
  return status_.read([&] { return load_catalogue(statements_); });
}

Result<void> AdminTables::put_catalogue(const log::StoredCatalogue& catalogue) {
  return status_.write([&] { return store_catalogue(statements_, catalogue); });
}

Result<void> AdminTables::set_frozen(bool frozen) {
  return status_.write([&]() -> Result<void> {
    auto query = statements_.query(freeze_log_state);
    if (!query) return std::unexpected(query.error());
    query->bind(1, std::int64_t{frozen});
    return query->run();
  });
}

Result<std::optional<log::StoredAnswer>> AdminTables::answer(const Uuid& key_id,
                                                             std::string_view idempotency_key) {
  return status_.read([&] { return load_answer(statements_, key_id, idempotency_key); });
}

Result<void> AdminTables::put_answer(const log::StoredAnswer& answer) {
  return status_.write([&] { return store_answer(statements_, answer); });
}

Result<std::optional<log::ClientMessage>> AdminTables::client_message(const Digest& digest) {
  return status_.read([&] { return load_message(statements_, digest); });
}

Result<void> AdminTables::put_client_message(const log::ClientMessage& message) {
  return status_.write([&] { return store_message(statements_, message); });
}

Result<void> AdminTables::expire_requests(Timestamp time, std::size_t limit) {
  return status_.write([&] { return expire(statements_, time, limit); });
}

}  // namespace annals::store::sqlite
