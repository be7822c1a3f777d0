#include "tests/contract/store/sqlite/sqlite_test.hpp"

namespace annals::test {
namespace {

using std::chrono::milliseconds;

/// Statements of the application in the store's own transaction.
class ApplicationSql : public SqliteTest {
 protected:
  ApplicationSql() : store_(open()) {
    writer().append(*store_, EventWriter::events(2, "a"));
    RawSqlite(path()).must(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT UNIQUE, paid INTEGER);"
        "INSERT INTO orders VALUES (1, 'one', 0), (2, 'two', 0);"
        "CREATE TABLE sink (x);"
        "CREATE TRIGGER evil AFTER INSERT ON sink BEGIN "
        "UPDATE annals_log_state SET event_seq = 77; END");
    begin();
  }

  void begin() {
    transaction_.reset();
    transaction_ = std::move(*store_->begin_write(milliseconds(5000)));
  }

  Result<std::uint64_t> run(std::string_view sql, const std::vector<SqlValue>& parameters = {}) {
    return transaction_->sql()->execute(sql, parameters, &rows_);
  }

  /// Refused, and the transaction is as usable as before.
  void refused(std::string_view sql, ErrorCode code) {
    const auto result = run(sql);
    ASSERT_FALSE(result) << sql;
    EXPECT_EQ(result.error().code, code) << sql << ": " << result.error().detail;
    EXPECT_TRUE(run("SELECT 1")) << sql;
  }

  std::unique_ptr<store::SqliteStore> store_;
  std::unique_ptr<log::WriteTransaction> transaction_;
  SqlRows rows_;
};

TEST_F(ApplicationSql, RunsWithParametersByNumber) {
  EXPECT_EQ(run("UPDATE orders SET paid = $2, name = $1 WHERE id = $3 OR id = $3",
                {std::string("x"), std::int64_t{5}, std::int64_t{2}}),
            1U);
  EXPECT_EQ(run("UPDATE orders SET paid = ?2 WHERE id = ?1", {std::int64_t{1}, std::int64_t{6}}),
            1U);
  EXPECT_EQ(run("INSERT INTO orders (name, paid) VALUES (?, ?), ('four', 4)",
                {std::string("three"), std::int64_t{3}}),
            2U);
  EXPECT_EQ(run("SELECT id, name, paid FROM orders ORDER BY id"), 0U);
  const SqlRows expected{{std::int64_t{1}, std::string("one"), std::int64_t{6}},
                         {std::int64_t{2}, std::string("x"), std::int64_t{5}},
                         {std::int64_t{3}, std::string("three"), std::int64_t{3}},
                         {std::int64_t{4}, std::string("four"), std::int64_t{4}}};
  EXPECT_EQ(rows_, expected);
}

TEST_F(ApplicationSql, CarriesEveryKindOfValue) {
  const std::vector<SqlValue> values{std::monostate{},
                                     std::int64_t{-5},
                                     2.5,
                                     std::string(),
                                     std::string("a\0b", 3),
                                     std::vector<std::uint8_t>{},
                                     std::vector<std::uint8_t>{0, 255}};
  ASSERT_TRUE(run("SELECT $1, $2, $3, $4, $5, $6, $7", values));
  EXPECT_EQ(rows_, SqlRows{values});
}

TEST_F(ApplicationSql, ReturnsRowsOfAChange) {
  EXPECT_EQ(run("UPDATE orders SET paid = 1 RETURNING id"), 2U);
  EXPECT_EQ(rows_.size(), 2U);
  EXPECT_EQ(run("CREATE TABLE t (x)"), 0U);
}

TEST_F(ApplicationSql, CommitsAndRollsBackWithTheEvents) {
  ASSERT_TRUE(run("UPDATE orders SET paid = 1 WHERE id = 1"));
  ASSERT_TRUE(transaction_->append(writer().place(*transaction_, EventWriter::events(1))));
  ASSERT_TRUE(run("UPDATE orders SET paid = 2 WHERE id = 2"));
  ASSERT_TRUE(transaction_->commit());
  EXPECT_EQ(run("SELECT 1").error().code, ErrorCode::internal);
  EXPECT_EQ(RawSqlite(path()).integer("SELECT sum(paid) FROM orders"), 3);
  EXPECT_EQ(store_->events().state()->event_seq, 3U);
  begin();
  ASSERT_TRUE(run("DELETE FROM orders"));
  ASSERT_TRUE(transaction_->append(writer().place(*transaction_, EventWriter::events(1))));
  transaction_->rollback();
  EXPECT_EQ(RawSqlite(path()).integer("SELECT count(*) FROM orders"), 2);
  EXPECT_EQ(store_->events().state()->event_seq, 3U);
}

TEST_F(ApplicationSql, ReadsTheLogButDoesNotWriteIt) {
  EXPECT_TRUE(run("SELECT count(*) FROM annals_events"));
  EXPECT_EQ(rows_, (SqlRows{{std::int64_t{2}}}));
  for (const auto* sql :
       {"UPDATE annals_log_state SET event_seq = 9",
        "UPDATE ANNALS_LOG_STATE SET event_seq = 9",
        "update main.\"annals_log_state\" set event_seq = 9",
        "DELETE FROM annals_events",
        "INSERT INTO annals_gaps VALUES (3, 9, 10)",
        "INSERT OR REPLACE INTO annals_stream_heads VALUES ('a', 1, zeroblob(32))",
        "WITH x AS (SELECT 1) DELETE FROM annals_keys",
        "DROP TABLE annals_events",
        "DROP TRIGGER annals_events_update",
        "DROP INDEX annals_events_id",
        "ALTER TABLE annals_events ADD COLUMN x",
        "ALTER TABLE annals_events RENAME TO other",
        "ALTER TABLE annals_events DROP COLUMN meta",
        "CREATE TRIGGER t AFTER INSERT ON annals_events BEGIN SELECT 1; END",
        "CREATE TEMP TRIGGER t AFTER INSERT ON annals_events BEGIN SELECT 1; END",
        "CREATE INDEX i ON annals_events (type)",
        "CREATE TABLE annals_own (x)",
        "CREATE TEMP TABLE annals_log_state (event_seq)",
        "CREATE TEMP VIEW Annals_events AS SELECT 1",
        "CREATE VIEW annals_v AS SELECT 1",
        "CREATE TABLE annals_copy AS SELECT * FROM annals_events",
        "ANALYZE annals_events",
        "REINDEX annals_events_id",
        "INSERT INTO sink VALUES (1)"}) {
    refused(sql, ErrorCode::not_allowed);
  }
  ASSERT_TRUE(transaction_->append(writer().place(*transaction_, EventWriter::events(1))));
  ASSERT_TRUE(transaction_->commit());
  EXPECT_EQ(store_->events().state()->event_seq, 3U);
}

TEST_F(ApplicationSql, DoesNotEndTheTransactionNorChangeSettings) {
  for (const auto* sql :
       {"COMMIT", "END", "ROLLBACK", "BEGIN", "SAVEPOINT s", "RELEASE s", "ROLLBACK TO s",
        "ATTACH ':memory:' AS other", "DETACH main", "PRAGMA journal_mode = DELETE",
        "PRAGMA synchronous = OFF", "PRAGMA writable_schema = ON", "PRAGMA main.user_version = 9",
        "PRAGMA wal_checkpoint", "PRAGMA secure_delete", "PRAGMA recursive_triggers = ON"}) {
    refused(sql, ErrorCode::not_allowed);
  }
  EXPECT_TRUE(run("PRAGMA table_info(orders)"));
  EXPECT_EQ(rows_.size(), 3U);
}

TEST_F(ApplicationSql, AFailingStatementLeavesTheTransactionUsable) {
  ASSERT_TRUE(run("UPDATE orders SET paid = 9 WHERE id = 1"));
  for (const auto* sql :
       {"SELEC 1", "SELECT * FROM nowhere", "INSERT INTO orders VALUES (1, 'x', 0)",
        "UPDATE orders SET name = 'one'", "", "  -- nothing", ";", "SELECT 1; SELECT 2",
        "SELECT 1; garbage", "VACUUM"}) {
    refused(sql, ErrorCode::invalid_request);
  }
  refused(std::string_view("SELECT 1\0; DELETE FROM orders", 29), ErrorCode::invalid_request);
  EXPECT_TRUE(run("SELECT 1; -- the end"));
  EXPECT_TRUE(run("SELECT 1;;"));
  ASSERT_TRUE(transaction_->commit());
  EXPECT_EQ(RawSqlite(path()).integer("SELECT sum(paid) FROM orders"), 9);
}

TEST_F(ApplicationSql, ParametersMustFit) {
  EXPECT_EQ(run("SELECT $1").error().code, ErrorCode::invalid_request);
  EXPECT_EQ(run("SELECT $1", {std::int64_t{1}, std::int64_t{2}}).error().code,
            ErrorCode::invalid_request);
  EXPECT_EQ(run("SELECT :name", {std::int64_t{1}}).error().code, ErrorCode::invalid_request);
  EXPECT_EQ(run("SELECT $name", {std::int64_t{1}}).error().code, ErrorCode::invalid_request);
  EXPECT_EQ(run("SELECT $2", {std::int64_t{1}, std::int64_t{2}}), 0U);
}

TEST_F(ApplicationSql, ResultsAreBounded) {
  const auto* numbers =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT $1) SELECT i FROM n";
  ASSERT_TRUE(run(numbers, {std::int64_t{10'000}}));
  EXPECT_EQ(rows_.size(), 10'000U);
  const auto refused = run(numbers, {std::int64_t{10'001}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  EXPECT_TRUE(
      transaction_->sql()->execute(numbers, std::vector<SqlValue>{std::int64_t{10'001}}, nullptr));
}

TEST_F(ApplicationSql, ALostTransactionIsNotCommittedByAccident) {
  ASSERT_TRUE(transaction_->append(writer().place(*transaction_, EventWriter::events(1))));
  const auto lost = run("INSERT OR ROLLBACK INTO orders VALUES (1, 'x', 0)");
  EXPECT_EQ(lost.error().code, ErrorCode::invalid_request);
  EXPECT_EQ(run("DELETE FROM orders").error().code, ErrorCode::internal);
  EXPECT_EQ(transaction_->commit().error().code, ErrorCode::internal);
  transaction_->rollback();
  EXPECT_EQ(store_->events().state()->event_seq, 2U);
  EXPECT_EQ(RawSqlite(path()).integer("SELECT count(*) FROM orders"), 2);
  writer().append(*store_, EventWriter::events(1));
}

}  // namespace
}  // namespace annals::test
