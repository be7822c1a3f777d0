#include <sqlite3.h>

#include "tests/contract/store/sqlite/sqlite_test.hpp"

namespace annals::test {
namespace {

using std::chrono::milliseconds;

/// The application's own connection beside an open store.
class Enlist : public SqliteTest {
 protected:
  Enlist() : store_(open()), application_(path()) {
    application_.must(
        "PRAGMA wal_autocheckpoint = 0; CREATE TABLE orders (id INTEGER PRIMARY KEY)");
  }

  Result<std::unique_ptr<log::WriteTransaction>> enlist(RawSqlite& connection) {
    return store_->foreign()->enlist(connection.get());
  }

  void refused(RawSqlite& connection, ErrorCode code = ErrorCode::invalid_request) {
    const auto enlisted = enlist(connection);
    ASSERT_FALSE(enlisted);
    EXPECT_EQ(enlisted.error().code, code) << enlisted.error().detail;
  }

  std::unique_ptr<store::SqliteStore> store_;
  RawSqlite application_;
};

TEST_F(Enlist, EventsCommitWithTheApplication) {
  application_.must("BEGIN; INSERT INTO orders VALUES (1)");
  {
    auto enlisted = enlist(application_);
    ASSERT_TRUE(enlisted) << enlisted.error().detail;
    EXPECT_EQ((*enlisted)->sql(), nullptr);
    const auto placement = writer().place(**enlisted, EventWriter::events(2, "a"));
    ASSERT_TRUE((*enlisted)->append(placement));
    ASSERT_TRUE((*enlisted)->commit());
    EXPECT_EQ((*enlisted)->append(placement).error().code, ErrorCode::internal);
  }
  EXPECT_EQ(store_->events().state()->event_seq, 0U);
  EXPECT_EQ(sqlite3_get_autocommit(application_.get()), 0);
  application_.must("COMMIT");
  EXPECT_EQ(store_->events().state()->event_seq, 2U);
  EXPECT_EQ(store_->changes().wait(0, std::chrono::seconds(60)), 2U);
  // The store's own transactions go on from there.
  EXPECT_EQ(writer().append(*store_, EventWriter::events(1, "a")).records[0].header.stream_seq, 3U);
}

TEST_F(Enlist, EventsRollBackWithTheApplication) {
  application_.must("BEGIN IMMEDIATE; INSERT INTO orders VALUES (1)");
  {
    auto enlisted = enlist(application_);
    ASSERT_TRUE(enlisted);
    ASSERT_TRUE((*enlisted)->append(writer().place(**enlisted, EventWriter::events(2, "a"))));
    (*enlisted)->rollback();
  }
  EXPECT_EQ(sqlite3_get_autocommit(application_.get()), 0) << "the rollback is the application's";
  application_.must("ROLLBACK");
  EXPECT_EQ(store_->events().state()->event_seq, 0U);
  EXPECT_EQ(application_.integer("SELECT count(*) FROM orders"), 0);
}

TEST_F(Enlist, TakesTheWriteLock) {
  application_.must("BEGIN");
  const auto enlisted = enlist(application_);
  ASSERT_TRUE(enlisted);
  EXPECT_EQ(sqlite3_txn_state(application_.get(), "main"), SQLITE_TXN_WRITE);
  EXPECT_EQ(store_->begin_write(milliseconds(20)).error().code, ErrorCode::busy);
}

TEST_F(Enlist, ATransactionThatReadAnOldStateIsBusy) {
  application_.must("BEGIN");
  EXPECT_EQ(application_.integer("SELECT event_seq FROM annals_log_state"), 0);
  writer().append(*store_, EventWriter::events(1));
  refused(application_, ErrorCode::busy);
}

TEST_F(Enlist, LeavesTheConnectionAsItWas) {
  const auto settings = [&] {
    std::string text;
    for (const auto* pragma :
         {"synchronous", "wal_autocheckpoint", "foreign_keys", "recursive_triggers", "query_only",
          "secure_delete", "busy_timeout", "cache_size", "journal_size_limit"}) {
      text += application_.text(std::string("PRAGMA ") + pragma) + ";";
    }
    return text;
  };
  application_.must("PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON");
  const auto before = settings();
  application_.must("BEGIN");
  {
    auto enlisted = enlist(application_);
    ASSERT_TRUE(enlisted);
    ASSERT_TRUE((*enlisted)->append(writer().place(**enlisted, EventWriter::events(1, "a"))));
    ASSERT_TRUE((*enlisted)->commit());
  }
  EXPECT_EQ(sqlite3_next_stmt(application_.get(), nullptr), nullptr) << "a statement is left";
  application_.must("COMMIT");
  EXPECT_EQ(settings(), before);
}

TEST_F(Enlist, ATableOfTheSameNameStandsInForNothing) {
  application_.must(
      "CREATE TEMP TABLE annals_log_state AS SELECT * FROM main.annals_log_state;"
      "CREATE TEMP TABLE annals_events AS SELECT * FROM main.annals_events; BEGIN");
  {
    auto enlisted = enlist(application_);
    ASSERT_TRUE(enlisted);
    ASSERT_TRUE((*enlisted)->append(writer().place(**enlisted, EventWriter::events(1, "a"))));
  }
  application_.must("COMMIT");
  EXPECT_EQ(store_->events().count(), 1U);
}

TEST_F(Enlist, SaysWhatAConnectionLacks) {
  EXPECT_EQ(store_->foreign()->enlist(nullptr).error().code, ErrorCode::invalid_request);
  refused(application_);  // no transaction
  application_.must("ATTACH ':memory:' AS other; BEGIN");
  refused(application_);
  application_.must("ROLLBACK; DETACH other; PRAGMA synchronous = NORMAL; BEGIN");
  refused(application_);
  application_.must("ROLLBACK; PRAGMA synchronous = EXTRA; BEGIN");
  EXPECT_TRUE(enlist(application_));
  application_.must("ROLLBACK");

  RawSqlite elsewhere(dir() / "other.db");
  elsewhere.must("BEGIN");
  refused(elsewhere);
  RawSqlite memory(":memory:");
  memory.must("BEGIN");
  refused(memory);
}

TEST_F(Enlist, ANewerSchemaIsRefused) {
  application_.must("PRAGMA user_version = 2; BEGIN");
  refused(application_, ErrorCode::store_corrupt);
}

TEST_F(Enlist, AClosedStoreTakesNobody) {
  store_->close();
  application_.must("BEGIN");
  refused(application_, ErrorCode::store_unavailable);
}

}  // namespace
}  // namespace annals::test
