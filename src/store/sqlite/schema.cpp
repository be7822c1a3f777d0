#include "store/sqlite/schema.hpp"

#include <string>

#include "store/sqlite/error.hpp"
#include "store/sqlite/schema_sql.hpp"
#include "store/sqlite/statements.hpp"

namespace annals::store::sqlite {
namespace {

/// Rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (open_) (void)database_.execute("ROLLBACK");
  }

  Result<void> begin() {
    auto begun = database_.execute("BEGIN IMMEDIATE");
    open_ = begun.has_value();
    return begun;
  }

  Result<void> commit() {
    auto committed = database_.execute("COMMIT");
    open_ = !committed.has_value();
    return committed;
  }

 private:
  Database& database_;
  bool open_ = false;
};

Result<void> insert_state(Database& database, const log::NewLog& new_log) {
  const Digest zeros{};
  Statements statements(database.get());
  {
    auto query = statements.query(insert_log_state);
    if (!query) return std::unexpected(query.error());
    query->bind(1, new_log.log_id.bytes)
        .bind(2, new_log.created_at.time_since_epoch().count())
        .bind(3, zeros)
        .bind(4, new_log.local_key_id.bytes);
    if (auto done = query->run(); !done) return done;
  }
  auto query = statements.query(insert_local_key);
  if (!query) return std::unexpected(query.error());
  query->bind(1, new_log.local_key_id.bytes)
      .bind(2, new_log.created_at.time_since_epoch().count())
      .bind(3, zeros);
  return query->run();
}

}  // namespace

Result<Identity> identify(Database& database) {
  const auto id = database.integer("PRAGMA main.application_id");
  if (!id) return std::unexpected(id.error());
  const auto version = database.integer("PRAGMA main.user_version");
  if (!version) return std::unexpected(version.error());
  if (*id == application_id) {
    if (*version == schema_version) return Identity::store;
    if (*version > schema_version) {
      return std::unexpected(corrupt("the file is a log of schema version " +
                                     std::to_string(*version) + ", newer than this program (" +
                                     std::to_string(schema_version) + "); use a newer one"));
    }
    return std::unexpected(corrupt("the file says that it is a log of schema version " +
                                   std::to_string(*version) + ", which never was"));
  }
  const auto objects = database.integer("SELECT count(*) FROM main.sqlite_schema");
  if (!objects) return std::unexpected(objects.error());
  if (*id != 0 || *objects != 0 || *version != 0) {
    return std::unexpected(corrupt(
        "the file is a SQLite database of something else; a log is only made in an empty one"));
  }
  return Identity::empty;
}

Result<void> create_schema(Database& database, const log::NewLog& new_log) {
  Transaction transaction(database);
  if (auto begun = transaction.begin(); !begun) return begun;
  const auto identity = identify(database);
  if (!identity) return std::unexpected(identity.error());
  if (*identity == Identity::store) return {};
  for (const char* part : schema_sql) {
    if (auto made = database.execute(part); !made) return made;
  }
  const auto pragmas = "PRAGMA main.application_id = " + std::to_string(application_id) +
                       "; PRAGMA main.user_version = " + std::to_string(schema_version);
  if (auto set = database.execute(pragmas.c_str()); !set) return set;
  if (auto inserted = insert_state(database, new_log); !inserted) return inserted;
  return transaction.commit();
}

}  // namespace annals::store::sqlite
