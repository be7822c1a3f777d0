#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "core/canonical.hpp"
#include "core/hash.hpp"
#include "log/receipt_at.hpp"
#include "log/verify.hpp"
#include "store/sqlite/sqlite_store.hpp"
#include "testing/contract/event_writer.hpp"
#include "testing/contract/raw_sqlite.hpp"
#include "testing/event_gen.hpp"
#include "testing/expect_findings.hpp"
#include "testing/seed.hpp"
#include "testing/temp_dir.hpp"

// What somebody with write access to the SQLite file does to it behind the log's back, and what
// verification says.

namespace annals::log {
namespace {

using annals::test::EventWriter;
using annals::test::RawSqlite;
using test::finding;
using test::plenty;
using test::verdict;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Not;

/// Flips a bit of the id in the index over ids, in a closed file: the row itself stays as it is.
void flip_bit_in_index(const std::filesystem::path& path, const Uuid& id) {
  constexpr std::streamoff page_size = 8192;
  constexpr char index_leaf = 10;
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  std::string page(page_size, '\0');
  const std::string_view wanted(reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size());
  for (std::streamoff at = 0; file.seekg(at).read(page.data(), page_size); at += page_size) {
    const auto found = page.find(wanted);
    if (page.front() != index_leaf || found == std::string::npos) continue;
    // The last byte: the order of the entries stays, so that nothing else is lost.
    const auto last = found + wanted.size() - 1;
    file.seekp(at + static_cast<std::streamoff>(last)).put(static_cast<char>(page[last] ^ 1));
    return;
  }
  FAIL() << "no index page holds the id";
}

class TamperTest : public ::testing::Test {
 public:
  void SetUp() override {
    store::SqliteOptions options;
    options.path = folder.path() / "log.db";
    store = std::make_unique<store::SqliteStore>(options);
    ASSERT_TRUE(store->open(writer.new_log()));
    raw = std::make_unique<RawSqlite>(options.path);
  }

  /// Events with every member: even ones of stream a, odd ones unchained.
  void fill(std::size_t count) {
    std::vector<NewEvent> events;
    for (std::size_t i = 1; i <= count; ++i) {
      auto event = EventWriter::event(i % 2 == 0 ? "a" : "");
      event.source = "tests";
      event.scope = {"space", "channel", "thread"};
      event.resource = {"order", "o-1", 3};
      event.audience = "user/robin";
      event.labels = {{"status", "new"}};
      events.push_back(std::move(event));
    }
    writer.append(*store, events);
  }

  void append(const std::vector<std::string>& streams) {
    std::vector<NewEvent> events;
    for (const auto& stream : streams)
      events.push_back(EventWriter::event(stream));
    writer.append(*store, events);
  }

  /// Changes the file without the guards that the store has put there.
  void tamper(const std::string& sql) {
    if (!unguarded) {
      const auto drops = raw->text(
          "SELECT group_concat('DROP TRIGGER ' || name || ';', ' ') FROM sqlite_master"
          " WHERE type = 'trigger'");
      raw->must(drops);
      raw->must("PRAGMA ignore_check_constraints = ON");
      unguarded = true;
    }
    raw->must(sql);
  }

  VerifyReport run(const VerifyOptions& options = {}) const {
    auto report = verify(store->events(), options, plenty, {});
    EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().detail);
    return report.value_or(VerifyReport{});
  }

  annals::test::TempDir folder;
  EventWriter writer{annals::test::seed()};
  std::unique_ptr<store::SqliteStore> store;
  std::unique_ptr<RawSqlite> raw;
  bool unguarded = false;
};

TEST_F(TamperTest, GuardsRefuseWhatTheTestsBelowDo) {
  fill(4);
  EXPECT_NE(raw->run("DELETE FROM annals_events WHERE seq = 2"), "");
  EXPECT_NE(raw->run("UPDATE annals_events SET type = 'x.y' WHERE seq = 2"), "");
  EXPECT_NE(raw->run("DELETE FROM annals_stream_heads"), "");
  EXPECT_TRUE(run().clean());
}

TEST_F(TamperTest, LastTwoRowsOfAStreamDeleted) {
  append({"a", "b", "a", "a", "b"});
  tamper("DELETE FROM annals_events WHERE seq IN (3, 4)");
  const auto findings = run().findings;
  EXPECT_THAT(findings, Contains(finding("truncated_tail", "after number 1", "a", 1)));
  EXPECT_THAT(findings, Contains(finding("seq_gap", "missing 3..4", "", 3)));
  EXPECT_THAT(findings, Contains(finding("state_mismatch", "number of events", "", 0)));
  EXPECT_THAT(findings, Contains(verdict("log_hash_mismatch")));
  EXPECT_THAT(findings, Not(Contains(Field(&Finding::stream, "b"))));
}

TEST_F(TamperTest, LastTwoRowsAndTheCountersTakenBack) {
  append({"a", "b", "a", "a"});
  const auto receipt = receipt_at(store->events(), 4);
  ASSERT_TRUE(receipt);
  const auto before = receipt_at(store->events(), 2);
  ASSERT_TRUE(before);
  tamper("DELETE FROM annals_events WHERE seq > 2");
  tamper("UPDATE annals_log_state SET event_seq = 2, log_hash = x'" + to_hex(before->log_hash) +
         "'");
  EXPECT_THAT(run().findings, Contains(finding("truncated_tail", "after number 1", "a", 1)));
  tamper(
      "UPDATE annals_stream_heads SET version = 1, hash ="
      " (SELECT row_hash FROM annals_events WHERE seq = 1) WHERE stream = 'a'");
  EXPECT_TRUE(run().clean()) << "nothing in the file can tell any more";
  EXPECT_THAT(run({.expect = *receipt}).findings, ElementsAre(verdict("rolled_back")));
}

TEST_F(TamperTest, WholeStreamDeleted) {
  append({"a", "b", "a", "b"});
  tamper("DELETE FROM annals_events WHERE stream = 'b'");
  const auto findings = run().findings;
  EXPECT_THAT(findings, Contains(AllOf(verdict("missing_stream"), Field(&Finding::stream, "b"))));
  EXPECT_THAT(findings, Contains(finding("seq_gap", "missing 2..2", "", 2)));
  EXPECT_THAT(findings, Contains(finding("seq_gap", "missing 4..4", "", 4)));
  tamper("DELETE FROM annals_stream_heads WHERE stream = 'b'");
  EXPECT_THAT(run().findings, Contains(finding("seq_gap", "missing 2..2", "", 2)));
}

TEST_F(TamperTest, RowInserted) {
  append({"a", "a"});
  tamper(
      "INSERT INTO annals_events SELECT 3, randomblob(16), type, schema_version, source,"
      " occurred_at, recorded_at, 'a', 3, space_id, channel_id, thread_id, resource_kind,"
      " resource_id, resource_version, receive_action, permission_version, key_id, private,"
      " truncated, prev_hash, row_hash, payload_salt, payload_digest, meta_salt, meta_digest,"
      " redacted_at, meta, payload FROM annals_events WHERE seq = 2");
  EXPECT_THAT(run().findings, Contains(finding("state_mismatch", "number of events", "", 0)));
  tamper("UPDATE annals_log_state SET event_seq = 3");
  const auto findings = run().findings;
  EXPECT_THAT(findings, Contains(finding("tampered", "header", "a", 3)));
  EXPECT_THAT(findings, Contains(finding("tampered", "link", "a", 3)));
  EXPECT_THAT(findings, Contains(verdict("log_hash_mismatch")));
  EXPECT_THAT(findings, Contains(finding("state_mismatch", "stream head", "a", 3)));
}

TEST_F(TamperTest, TwoRowsSwapped) {
  append({"a", "b", "a", "b"});
  tamper(
      "UPDATE annals_events SET seq = 1000 WHERE seq = 2;"
      "UPDATE annals_events SET seq = 2 WHERE seq = 3;"
      "UPDATE annals_events SET seq = 3 WHERE seq = 1000");
  const auto findings = run().findings;
  EXPECT_THAT(findings, Contains(finding("tampered", "header", "a", 2)));
  EXPECT_THAT(findings, Contains(finding("tampered", "header", "b", 3)));
  EXPECT_THAT(findings, Contains(verdict("log_hash_mismatch")));
}

/// Another value of the same kind, also where there was none.
std::string changed_value(RawSqlite& raw, const std::string& column) {
  const auto type =
      raw.text("SELECT type FROM pragma_table_info('annals_events') WHERE name = '" + column + "'");
  const auto bytes =
      std::to_string(column == "id" || column == "key_id" || column.ends_with("_salt") ? 16 : 32);
  if (type == "BLOB") return "randomblob(" + bytes + ")";
  if (column == "meta") return R"('{"actor":{"kind":"system"},"audience":"user/robin"}')";
  if (column == "payload") return R"('{"changed":1}')";
  if (type == "TEXT") return "coalesce(" + column + ", '') || 'x'";
  if (column == "private" || column == "truncated") return "1 - " + column;
  if (column == "seq") return "seq + 1000";
  return "coalesce(" + column + ", 0) + 100";
}

TEST_F(TamperTest, EveryColumnOfAnEvent) {
  fill(8);
  ASSERT_TRUE(run().clean());
  const auto columns = raw->integer("SELECT count(*) FROM pragma_table_info('annals_events')");
  ASSERT_GT(columns, 20);
  tamper("CREATE TABLE saved AS SELECT * FROM annals_events");
  for (std::int64_t i = 0; i < columns; ++i) {
    const auto column = raw->text(
        "SELECT name FROM pragma_table_info('annals_events') WHERE cid = " + std::to_string(i));
    for (const std::uint64_t seq : {4U, 5U}) {
      SCOPED_TRACE(column + " of event " + std::to_string(seq));
      const auto row = " WHERE seq = " + std::to_string(seq);
      tamper("UPDATE annals_events SET " + column + " = " + changed_value(*raw, column) + row);
      const auto report = run();
      // A row that cannot be an event's is unreadable, which is no proof of tampering.
      EXPECT_THAT(report.findings, Contains(AllOf(Field(&Finding::seq, seq),
                                                  AnyOf(verdict("tampered"), verdict("seq_gap"),
                                                        verdict("could_not_verify")))));
      EXPECT_LT(report.verified, 8U);
      tamper("DELETE FROM annals_events; INSERT INTO annals_events SELECT * FROM saved");
      ASSERT_TRUE(run().clean());
    }
  }
}

TEST_F(TamperTest, HeaderColumnsAreNamedAsTampered) {
  fill(8);
  for (const std::string column : {"id",
                                   "type",
                                   "schema_version",
                                   "source",
                                   "occurred_at",
                                   "recorded_at",
                                   "space_id",
                                   "channel_id",
                                   "thread_id",
                                   "resource_kind",
                                   "resource_id",
                                   "resource_version",
                                   "receive_action",
                                   "permission_version",
                                   "key_id",
                                   "private",
                                   "truncated",
                                   "row_hash",
                                   "payload_salt",
                                   "payload",
                                   "meta_salt",
                                   "meta"}) {
    SCOPED_TRACE(column);
    tamper("CREATE TEMP TABLE saved AS SELECT * FROM annals_events");
    tamper("UPDATE annals_events SET " + column + " = " + changed_value(*raw, column) +
           " WHERE seq = 4");
    EXPECT_THAT(run().findings, Contains(finding("tampered", "header", "a", 4)));
    tamper(
        "DELETE FROM annals_events; INSERT INTO annals_events SELECT * FROM saved;"
        "DROP TABLE saved");
  }
  EXPECT_TRUE(run().clean());
}

TEST_F(TamperTest, ErasedByHand) {
  fill(6);
  const auto record = store->events().find(4);
  ASSERT_TRUE(record && *record);
  tamper(
      "UPDATE annals_events SET payload = NULL, payload_salt = NULL, redacted_at = 1,"
      " payload_digest = x'" +
      to_hex((*record)->header.payload_digest) + "' WHERE seq = 4");
  EXPECT_THAT(run().findings, ElementsAre(finding("unauthorised_erasure", "payload", "a", 4)));
  tamper("UPDATE annals_events SET payload_digest = randomblob(32) WHERE seq = 4");
  EXPECT_THAT(run().findings, Contains(finding("unauthorised_erasure", "payload", "a", 4)));
  EXPECT_THAT(run().findings, Contains(finding("tampered", "header", "a", 4)));
}

TEST_F(TamperTest, HeadsAndState) {
  append({"a", "b", "a"});
  const auto changed = [this](const std::string& table, const std::string& change) {
    tamper("CREATE TEMP TABLE saved AS SELECT * FROM " + table);
    tamper("UPDATE " + table + " SET " + change);
    auto findings = run().findings;
    tamper("DELETE FROM " + table + "; INSERT INTO " + table +
           " SELECT * FROM saved; DROP TABLE saved");
    return findings;
  };
  EXPECT_THAT(changed("annals_stream_heads", "hash = randomblob(32) WHERE stream = 'a'"),
              ElementsAre(finding("state_mismatch", "stream head", "a", 3)));
  EXPECT_THAT(changed("annals_stream_heads", "version = 9 WHERE stream = 'a'"),
              ElementsAre(finding("truncated_tail", "after number 2", "a", 3)));
  EXPECT_THAT(changed("annals_stream_heads", "version = 1 WHERE stream = 'a'"),
              ElementsAre(finding("state_mismatch", "stream head", "a", 3)));
  EXPECT_THAT(changed("annals_stream_heads", "stream = 'c' WHERE stream = 'a'"),
              Contains(finding("state_mismatch", "no stream head", "a", 3)));
  EXPECT_THAT(changed("annals_log_state", "log_hash = randomblob(32)"),
              ElementsAre(verdict("log_hash_mismatch")));
  EXPECT_THAT(changed("annals_log_state", "base_log_hash = randomblob(32)"),
              Contains(finding("state_mismatch", "base_log_hash", "", 0)));
  EXPECT_THAT(changed("annals_log_state", "event_seq = 2"),
              Contains(finding("state_mismatch", "number of events", "", 0)));
  EXPECT_THAT(changed("annals_log_state", "event_seq = 4"),
              Contains(finding("seq_gap", "missing 4..4", "", 4)));
  EXPECT_THAT(changed("annals_log_state", "oldest = 2"), Not(IsEmpty()));
  EXPECT_THAT(changed("annals_log_state", "last_recorded_at = last_recorded_at + 1"),
              ElementsAre(finding("state_mismatch", "last_recorded_at", "", 0)));
  EXPECT_THAT(changed("annals_log_state", "permission_version = permission_version + 1"),
              ElementsAre(finding("state_mismatch", "permission_version", "", 0)));
  EXPECT_TRUE(run().clean());
}

TEST_F(TamperTest, RecomputedHashesAreFoundThroughTheLogHash) {
  append({"a", "b"});
  // The last event of a stream: its new hash and the stream's head are made to agree.
  auto record = store->events().find(1);
  ASSERT_TRUE(record && *record);
  auto forged = **record;
  forged.header.type = "order.forged";
  const auto hash = to_hex(core::row_hash(std::nullopt, core::header_bytes(forged.header)));
  tamper("UPDATE annals_events SET type = 'order.forged', row_hash = x'" + hash +
         "' WHERE seq = 1; UPDATE annals_stream_heads SET hash = x'" + hash +
         "' WHERE stream = 'a'");
  EXPECT_THAT(run().findings, ElementsAre(verdict("log_hash_mismatch")));
}

TEST_F(TamperTest, DamagedPageOfTheFileIsNamedAndNeverTampered) {
  append({"a", "b", "a", "b", "a"});
  tamper("UPDATE annals_events SET key_id = x'00' WHERE seq = 3");
  const auto report = run();
  EXPECT_THAT(report.findings, Each(verdict("could_not_verify")));
  EXPECT_THAT(report.findings, Contains(finding("could_not_verify", "unreadable", "", 3)));
  EXPECT_EQ(report.verified, 3U) << "all but the row and the one that links to it";
}

TEST_F(TamperTest, DamageThatOnlyTheIndexOfIdsHoldsIsFound) {
  append({"a", "b", "a"});
  const auto id = (*store->events().find(2))->header.id;
  raw.reset();
  store->close();
  flip_bit_in_index(folder.path() / "log.db", id);
  SetUp();
  EXPECT_THAT(run().findings, ElementsAre(finding("state_mismatch", "not found by its id", "", 2)));
}

TEST_F(TamperTest, RandomLogsVerify) {
  annals::test::EventGen events(annals::test::seed());
  for (int i = 0; i < 30; ++i)
    writer.append(*store, events.batch(50));
  for (const std::size_t memory : {plenty, std::size_t{1}}) {
    const auto report = verify(store->events(), {}, memory, {});
    ASSERT_TRUE(report);
    EXPECT_THAT(report->findings, IsEmpty());
    EXPECT_EQ(report->verified, 1500U);
  }
}

}  // namespace
}  // namespace annals::log
