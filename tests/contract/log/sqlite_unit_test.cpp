#include <gmock/gmock.h>
#include <sqlite3.h>

#include "testing/temp_dir.hpp"
#include "tests/contract/log/log_fixture.hpp"

namespace annals::test {
namespace {

/// The application's own rows and its own connection, which only a SQL store has.
class SqliteUnit : public LogContract {
 protected:
  void create_table(EventLog& log) {
    auto unit = log.begin(log.local_admin());
    ASSERT_TRUE(unit->execute("CREATE TABLE orders(id INTEGER PRIMARY KEY, paid INTEGER)"));
    ASSERT_TRUE(
        unit->execute("INSERT INTO orders VALUES($1, $2)", {std::int64_t{1}, std::int64_t{0}}));
    ASSERT_TRUE(unit->execute("CREATE TABLE audit(seq INTEGER)"));
    ASSERT_TRUE(unit->commit());
  }

  static std::int64_t paid(EventLog& log) {
    auto unit = log.begin(log.local_admin());
    return std::get<std::int64_t>(
        unit->query("SELECT paid FROM orders WHERE id = 1").value()[0][0]);
  }

  /// The application's own connection to the same file.
  struct Connection {
    explicit Connection(const std::filesystem::path& path) {
      EXPECT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
      sqlite3_busy_timeout(handle, 5000);
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() { sqlite3_close(handle); }
    void run(const char* sql) const {
      EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK)
          << sqlite3_errmsg(handle);
    }
    sqlite3* handle = nullptr;
  };
};

TEST_P(SqliteUnit, RowsAndEventsAreOneTransaction) {
  const auto log = open_log();
  create_table(*log);
  {
    auto unit = log->begin(log->local_admin());
    ASSERT_TRUE(unit->execute("UPDATE orders SET paid = 1 WHERE id = $1", {std::int64_t{1}}));
    ASSERT_TRUE(unit->append(simple_event("order.paid", "order-1")));
  }
  EXPECT_EQ(paid(*log), 0) << "the destructor rolls both back";
  EXPECT_EQ(log->state()->event_seq, 0U);

  auto unit = log->begin(log->local_admin());
  const auto changed = unit->execute("UPDATE orders SET paid = 1 WHERE id = $1", {std::int64_t{1}});
  EXPECT_EQ(changed, 1U);
  ASSERT_TRUE(unit->append(simple_event("order.paid", "order-1")));
  ASSERT_TRUE(unit->commit());
  EXPECT_EQ(paid(*log), 1);
  expect_verified(*log, 1);
}

TEST_P(SqliteUnit, RepeatedUnitDoesNotWriteTheRowsAgain) {
  const auto log = open_log();
  create_table(*log);
  for (int round = 0; round < 2; ++round) {
    auto unit = log->begin(log->local_admin());
    ASSERT_TRUE(unit->execute("UPDATE orders SET paid = paid + 1 WHERE id = 1"));
    NewEvent event = simple_event("order.paid", "order-1");
    event.id = uuid_of(1);
    ASSERT_TRUE(unit->append(event));
    ASSERT_TRUE(unit->commit());
  }
  EXPECT_EQ(paid(*log), 1);
}

TEST_P(SqliteUnit, LogsOwnTablesAndTransactionControlAreRefused) {
  const auto log = open_log();
  create_table(*log);
  auto unit = log->begin(log->local_admin());
  for (const char* sql :
       {"UPDATE annals_log_state SET event_seq = 7", "DELETE FROM annals_events", "COMMIT",
        "ROLLBACK", "ATTACH 'x.db' AS x", "PRAGMA synchronous = OFF", "DROP TABLE annals_events"}) {
    const auto result = unit->execute(sql);
    ASSERT_FALSE(result) << sql;
    EXPECT_EQ(result.error().code, ErrorCode::not_allowed) << sql;
  }
  EXPECT_EQ(unit->execute("INSERT INTO nowhere VALUES(1)").error().code,
            ErrorCode::invalid_request);
  ASSERT_TRUE(unit->execute("UPDATE orders SET paid = 1")) << "still usable";
  ASSERT_TRUE(unit->append(simple_event()));
  EXPECT_TRUE(unit->commit());
  EXPECT_EQ(paid(*log), 1);
}

TEST_P(SqliteUnit, AuditHookInsertsIntoItsOwnTableOnly) {
  auto log = std::make_unique<EventLog>(make_store(), LogOptions{}, clock_);
  std::vector<bool> allowed;
  log->add_hook(UnitPhase::audit, "app.audit", [&](UnitOfWork& unit) -> Result<void> {
    for (const auto& event : unit.appended()) {
      const auto seq = static_cast<std::int64_t>(event.seq);
      allowed.push_back(unit.execute("INSERT INTO audit VALUES($1)", {seq}).has_value());
    }
    allowed.push_back(unit.execute("UPDATE orders SET paid = 9").has_value());
    allowed.push_back(unit.execute("DELETE FROM audit").has_value());
    return {};
  });
  ASSERT_TRUE(log->open());
  create_table(*log);
  auto unit = log->begin(log->local_admin());
  ASSERT_TRUE(unit->append(simple_event()));
  ASSERT_TRUE(unit->commit());
  EXPECT_THAT(allowed, testing::ElementsAre(true, false, false));
  auto check = log->begin(log->local_admin());
  EXPECT_EQ(check->query("SELECT seq FROM audit").value().size(), 1U);
}

TEST_P(SqliteUnit, EnlistedAppendBelongsToTheApplicationsTransaction) {
  const auto log = open_log();
  create_table(*log);
  const Connection app(file());
  app.run("BEGIN IMMEDIATE");
  app.run("UPDATE orders SET paid = 1");
  const auto rolled_back =
      log->append_in(app.handle, log->local_admin(), {simple_event("order.paid", "order-1")});
  ASSERT_TRUE(rolled_back) << rolled_back.error().detail;
  EXPECT_EQ(rolled_back->events.front().seq, 1U);
  app.run("ROLLBACK");
  EXPECT_EQ(log->state()->event_seq, 0U);

  ASSERT_TRUE(log->append(log->local_admin(), simple_event("order.paid", "order-1")));
  app.run("BEGIN IMMEDIATE");
  app.run("UPDATE orders SET paid = 1");
  const auto enlisted =
      log->append_in(app.handle, log->local_admin(), {simple_event("order.paid", "order-1")});
  ASSERT_TRUE(enlisted) << enlisted.error().detail;
  EXPECT_EQ(enlisted->events.front().seq, 2U);
  EXPECT_EQ(enlisted->events.front().stream_seq, 2U);
  app.run("COMMIT");
  EXPECT_EQ(paid(*log), 1);
  EXPECT_EQ(log->wait_after(1, std::chrono::seconds{5}), 2U);

  // The committer's cached head of the stream is stale now and must not fork the chain.
  ASSERT_TRUE(log->append(log->local_admin(), simple_event("order.paid", "order-1")));
  expect_verified(*log, 3);
}

TEST_P(SqliteUnit, EnlistingNeedsAnOpenTransactionOnTheSameFileAlone) {
  const auto log = open_log();
  const Connection app(file());
  const auto outside = log->append_in(app.handle, log->local_admin(), {simple_event()});
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().code, ErrorCode::invalid_request);

  const TempDir other_dir;
  app.run(("ATTACH '" + (other_dir / "other.db").string() + "' AS other").c_str());
  app.run("BEGIN IMMEDIATE");
  const auto attached = log->append_in(app.handle, log->local_admin(), {simple_event()});
  ASSERT_FALSE(attached);
  EXPECT_EQ(attached.error().code, ErrorCode::invalid_request);
  app.run("ROLLBACK");

  const Connection other(other_dir / "third.db");
  other.run("CREATE TABLE t(x)");
  other.run("BEGIN IMMEDIATE");
  const auto elsewhere = log->append_in(other.handle, log->local_admin(), {simple_event()});
  ASSERT_FALSE(elsewhere);
  EXPECT_EQ(elsewhere.error().code, ErrorCode::invalid_request);
}

INSTANTIATE_TEST_SUITE_P(Stores, SqliteUnit, testing::Values(sqlite_backend()), name_of_test);

}  // namespace
}  // namespace annals::test
