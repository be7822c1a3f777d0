#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>

#include "store/sqlite/statements.hpp"
#include "tests/contract/store/sqlite/sqlite_test.hpp"

namespace annals::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

class File : public SqliteTest {
 protected:
  /// The error of opening what is there. What stands in the folder is not changed by it.
  Error refused() {
    const auto before = bytes_of(path());
    const auto opened = make()->open(new_log());
    EXPECT_FALSE(opened);
    EXPECT_EQ(bytes_of(path()), before);
    return opened ? Error{} : opened.error();
  }

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(dir().path())) {
      found.push_back(entry.path().filename().string());
    }
    std::ranges::sort(found);
    return found;
  }
};

TEST_F(File, IsOneFileWithItsIdentityAndSettings) {
  make_log();
  EXPECT_EQ(names(), std::vector<std::string>{"log.db"});
  RawSqlite raw(path());
  EXPECT_EQ(raw.integer("PRAGMA application_id"), 0x416E6E6C);
  EXPECT_EQ(raw.integer("PRAGMA user_version"), 1);
  EXPECT_EQ(raw.integer("PRAGMA page_size"), 8192);
  EXPECT_EQ(raw.text("PRAGMA journal_mode"), "wal");
  EXPECT_EQ(raw.text("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(raw.integer("SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'annals!_%' ESCAPE "
                        "'!' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"),
            0);
}

TEST_F(File, ReadsUseTheIndexesMeantForThem) {
  make_log();
  RawSqlite raw(path());
  const auto plan = [&](std::string sql) {
    for (auto at = sql.find('?'); at != std::string::npos; at = sql.find('?')) {
      sql.replace(at, 2, "1");
    }
    std::string text;
    sqlite3_exec(
        raw.get(), ("EXPLAIN QUERY PLAN " + sql).c_str(),
        [](void* out, int, char** columns, char**) {
          *static_cast<std::string*>(out) += std::string(columns[3]) + ";";
          return 0;
        },
        &text, nullptr);
    return text;
  };
  using namespace store::sqlite;
  EXPECT_NE(plan(count_events).find("COVERING INDEX annals_events_id"), std::string::npos);
  EXPECT_NE(plan(select_by_id).find("INDEX annals_events_id (id=?"), std::string::npos);
  for (const auto* sql :
       {select_forward, select_backward, select_by_seq, select_mark, select_stream_forward,
        select_stream_backward, select_stream_seq, select_matching_forward,
        select_matching_backward, select_facets, select_row_hash, select_time}) {
    EXPECT_NE(plan(sql).find("INTEGER PRIMARY KEY"), std::string::npos) << sql;
    EXPECT_EQ(plan(sql).find("TEMP B-TREE"), std::string::npos) << sql;
  }
  for (const auto* sql : {expire_answers, expire_client_messages}) {
    EXPECT_NE(plan(sql).find("_recorded_at (recorded_at<?)"), std::string::npos) << plan(sql);
  }
}

TEST_F(File, IsMadeInAnEmptyDatabase) {
  {
    RawSqlite raw(path());
    raw.must("PRAGMA journal_mode = WAL; CREATE TABLE t (x); DROP TABLE t");
  }
  const auto store = open();
  writer().append(*store, EventWriter::events(1));
  EXPECT_EQ(store->events().state()->event_seq, 1U);
}

TEST_F(File, TheApplicationsTablesLiveInIt) {
  make_log();
  {
    RawSqlite raw(path());
    raw.must("CREATE TABLE orders (id INTEGER PRIMARY KEY); INSERT INTO orders VALUES (7)");
  }
  const auto store = open();
  writer().append(*store, EventWriter::events(1));
  RawSqlite raw(path());
  EXPECT_EQ(raw.integer("SELECT id FROM orders"), 7);
}

TEST_F(File, OfSomebodyElseIsNeverTouched) {
  {
    RawSqlite raw(path());
    raw.must("CREATE TABLE t (x); INSERT INTO t VALUES (1)");
  }
  EXPECT_EQ(refused().code, ErrorCode::store_corrupt);
  {
    RawSqlite raw(path());
    raw.must("DROP TABLE t; PRAGMA application_id = 5");
  }
  EXPECT_EQ(refused().code, ErrorCode::store_corrupt);
  EXPECT_EQ(names(), std::vector<std::string>{"log.db"});
}

TEST_F(File, ThatIsNoDatabaseIsNeverTouched) {
  write_bytes(path(), std::string(20'000, 'x'));
  const auto error = refused();
  EXPECT_EQ(error.code, ErrorCode::store_corrupt);
  EXPECT_NE(error.detail.find("log.db"), std::string::npos);
}

TEST_F(File, OfANewerVersionIsRefused) {
  make_log();
  RawSqlite(path()).must("PRAGMA user_version = 2");
  const auto error = refused();
  EXPECT_EQ(error.code, ErrorCode::store_corrupt);
  EXPECT_NE(error.detail.find("newer"), std::string::npos);
  RawSqlite(path()).must("PRAGMA user_version = 0");
  EXPECT_EQ(refused().code, ErrorCode::store_corrupt);
}

TEST_F(File, CutToNothingIsRefusedAndStays) {
  make_log();
  fs::resize_file(path(), 0);
  EXPECT_EQ(refused().code, ErrorCode::store_corrupt);
  EXPECT_EQ(fs::file_size(path()), 0U);
}

TEST_F(File, CutInHalfIsRefusedAndStays) {
  {
    const auto store = open();
    writer().append(*store, EventWriter::events(300, "a"));
  }
  const auto size = fs::file_size(path());
  fs::resize_file(path(), size / 2);
  EXPECT_EQ(refused().code, ErrorCode::store_corrupt);
  EXPECT_EQ(fs::file_size(path()), size / 2);
}

TEST_F(File, WithADamagedHeaderIsRefusedAndStays) {
  make_log();
  const auto good = bytes_of(path());
  for (const std::size_t at : {0U, 16U, 19U, 68U, 100U}) {
    SCOPED_TRACE(at);
    auto bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x55);
    write_bytes(path(), bad);
    EXPECT_EQ(refused().code, ErrorCode::store_corrupt);
  }
}

TEST_F(File, GoneBesideItsWriteAheadLogIsNotReplaced) {
  write_bytes(path().string() + "-wal", "something");
  EXPECT_EQ(make()->open(new_log()).error().code, ErrorCode::store_corrupt);
  EXPECT_FALSE(fs::exists(path()));
  EXPECT_EQ(bytes_of(path().string() + "-wal"), "something");
}

TEST_F(File, AFolderOrNothingIsNoPlace) {
  fs::create_directory(path());
  EXPECT_EQ(make()->open(new_log()).error().code, ErrorCode::store_corrupt);
  store::SqliteStore nowhere({.path = dir() / "no/such/folder.db"});
  EXPECT_EQ(nowhere.open(new_log()).error().code, ErrorCode::store_unavailable);
  store::SqliteStore empty({.path = {}});
  EXPECT_EQ(empty.open(new_log()).error().code, ErrorCode::store_unavailable);
}

TEST_F(File, UnreadableRowsAreNamedAndNeverASilentEnd) {
  make_log();
  {
    RawSqlite raw(path());
    raw.must(
        "PRAGMA ignore_check_constraints = ON; DROP TRIGGER annals_events_update;"
        "UPDATE annals_events SET row_hash = x'00' WHERE seq = 2");
  }
  const auto store = open();
  const auto page = store->events().page({});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->records.size(), 1U);
  EXPECT_FALSE(page->caught_up);
  const auto next = store->events().page({.after = 1});
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, ErrorCode::store_corrupt);
  EXPECT_NE(next.error().detail.find("event 2"), std::string::npos);
  EXPECT_EQ(store->events().find(2).error().code, ErrorCode::store_corrupt);
  EXPECT_EQ(store->events().stream_page("a", {.after = 1}).error().code, ErrorCode::store_corrupt);
  EXPECT_TRUE(store->events().find(3)->has_value());
}

TEST_F(File, EveryColumnIsChecked) {
  make_log();
  const auto good = bytes_of(path());
  for (const auto* damage :
       {"id = x'01'", "schema_version = 0", "schema_version = 3000000000",
        "occurred_at = 9223372036854775807", "stream_seq = NULL", "stream = NULL",
        "resource_version = -1", "permission_version = -1", "key_id = x''", "private = 2",
        "truncated = 7", "prev_hash = x'00'", "payload = NULL", "payload_salt = NULL",
        "payload_digest = zeroblob(32)", "meta = NULL", "meta_salt = x'00'",
        "meta_digest = zeroblob(32)", "redacted_at = 1"}) {
    SCOPED_TRACE(damage);
    write_bytes(path(), good);
    {
      RawSqlite raw(path());
      raw.must(
          "PRAGMA ignore_check_constraints = ON; DROP TRIGGER annals_events_update;"
          "UPDATE annals_events SET " +
          std::string(damage) + " WHERE seq = 2");
    }
    const auto found = open()->events().find(2);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::store_corrupt);
  }
}

TEST_F(File, RandomDamageIsNeverACrash) {
  {
    const auto store = open();
    writer().append(*store, EventWriter::events(200, "a"));
  }
  const auto good = bytes_of(path());
  std::uint64_t found = 0;
  for (int round = 0; round < 60; ++round) {
    auto bad = good;
    for (int i = 0; i < 20; ++i) {
      const auto at = writer().ids().random_id();
      std::uint64_t place = 0;
      for (const auto byte : at.bytes)
        place = place * 256 + byte;
      bad[place % bad.size()] = static_cast<char>(at.bytes[3]);
    }
    write_bytes(path(), bad);
    const auto store = make();
    if (!store->open(new_log())) continue;
    std::uint64_t after = 0;
    for (;;) {
      const auto page = store->events().page({.after = after, .limit = 50});
      if (!page) {
        EXPECT_NE(page.error().code, ErrorCode::internal) << page.error().detail;
        break;
      }
      found += page->records.size();
      if (page->records.empty()) break;
      ASSERT_GT(page->records.back().header.seq, after);
      after = page->records.back().header.seq;
    }
    (void)store->events().count();
    (void)store->events().stream_page("a", {});
    (void)store->admin().keys();
  }
  EXPECT_GT(found, 0U);
}

TEST_F(File, ASecondPathToItIsTheSameStore) {
  make_log();
  fs::create_symlink("log.db", dir() / "link.db");
  store::SqliteStore linked({.path = dir() / "link.db"});
  ASSERT_TRUE(linked.open(new_log()));
  EXPECT_EQ(linked.events().state()->event_seq, 3U);
  ASSERT_TRUE(linked.lock_server());
  const auto direct = open();
  EXPECT_EQ(direct->lock_server().error().code, ErrorCode::store_unavailable);
}

TEST_F(File, OneServerAtATime) {
  auto first = open();
  const auto second = open();
  ASSERT_TRUE(first->lock_server());
  ASSERT_TRUE(first->lock_server());
  const auto refused = second->lock_server();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::store_unavailable);
  EXPECT_NE(refused.error().detail.find("process " + std::to_string(getpid())), std::string::npos);
  // The library goes on without the lock.
  writer().append(*second, EventWriter::events(1));
  first.reset();
  EXPECT_TRUE(second->lock_server());
}

TEST_F(File, AStaleLockFileLocksNothing) {
  write_bytes(path().string() + ".server-lock", "process 1\n");
  EXPECT_TRUE(open()->lock_server());
  EXPECT_EQ(make()->lock_server().error().code, ErrorCode::store_unavailable);
}

TEST_F(File, CheckpointsKeepTheWriteAheadLogSmall) {
  const auto store = open();
  const auto wal = path().string() + "-wal";
  std::uintmax_t largest = 0;
  for (int i = 0; i < 60; ++i) {
    writer().append(*store, EventWriter::events(1000, "s" + std::to_string(i % 7)));
    store->maintain(false);
    largest = std::max(largest, fs::file_size(wal));
  }
  // 1,500 pages and what one group adds.
  EXPECT_LT(largest, 1500U * 8300U + 4'000'000U);
  EXPECT_GT(fs::file_size(wal), 0U);
  store->maintain(true);
  EXPECT_EQ(fs::file_size(wal), 0U);
  EXPECT_EQ(store->events().count(), 60'000U);
}

TEST_F(File, AReaderDelaysACheckpointWithoutHarm) {
  const auto store = open();
  writer().append(*store, EventWriter::events(10));
  RawSqlite reader(path());
  reader.must("BEGIN; SELECT * FROM annals_events");
  writer().append(*store, EventWriter::events(10));
  store->maintain(true);
  EXPECT_GT(fs::file_size(path().string() + "-wal"), 0U);
  writer().append(*store, EventWriter::events(10));
  EXPECT_EQ(reader.integer("SELECT count(*) FROM annals_events"), 10);
  reader.must("COMMIT");
  store->maintain(true);
  EXPECT_EQ(fs::file_size(path().string() + "-wal"), 0U);
  EXPECT_EQ(store->events().count(), 30U);
}

TEST_F(File, BusyOfAnotherProgramIsWaitedForAndEnds) {
  const auto store = make(milliseconds(40));
  ASSERT_TRUE(store->open(new_log()));
  RawSqlite other(path());
  other.must("BEGIN IMMEDIATE");
  EXPECT_EQ(store->begin_write(milliseconds(0)).error().code, ErrorCode::busy);
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(store->begin_write(std::chrono::seconds(30)).error().code, ErrorCode::busy);
  EXPECT_GE(std::chrono::steady_clock::now() - before, milliseconds(40));
  store->maintain(true);  // skipped, not harmful
  EXPECT_TRUE(store->events().state());
  other.must("ROLLBACK");
  EXPECT_TRUE(store->begin_write(milliseconds(0)));
}

}  // namespace
}  // namespace annals::test
