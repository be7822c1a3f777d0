#include "tests/contract/store/sqlite/sqlite_test.hpp"

namespace annals::test {
namespace {

/// Statements of somebody who has the file open beside the store.
class Triggers : public SqliteTest {
 protected:
  Triggers() {
    make_log();
    raw_ = std::make_unique<RawSqlite>(path());
    before_ = content();
  }

  /// Every row of every table of the log, in a comparable text.
  std::string content() {
    std::string text;
    for (const auto* query :
         {"SELECT group_concat(seq || quote(id) || type || coalesce(stream, '') || "
          "coalesce(stream_seq, '') || quote(prev_hash) || quote(row_hash) || quote(payload) || "
          "quote(payload_salt) || quote(payload_digest) || quote(meta) || quote(meta_salt) || "
          "quote(meta_digest) || quote(redacted_at) || recorded_at, '|') FROM "
          "(SELECT * FROM annals_events ORDER BY seq)",
          "SELECT group_concat(stream || version || quote(hash), '|') FROM annals_stream_heads",
          "SELECT group_concat(gap_from || ',' || gap_to, '|') FROM annals_gaps",
          "SELECT group_concat(seq || part || quote(digest), '|') FROM annals_redactions",
          "SELECT quote(log_id) || event_seq || quote(log_hash) || oldest || incarnation || "
          "permission_version || last_recorded_at FROM annals_log_state"}) {
      text += raw_->text(query) + "\n";
    }
    return text;
  }

  /// Fails for the reason of a trigger, not of a typing error, and changes nothing.
  void refused(const std::string& sql) {
    const auto message = raw_->run(sql);
    EXPECT_TRUE(message.starts_with("annals: ")) << sql << "\n-> " << message;
    EXPECT_EQ(content(), before_) << sql;
  }

  void allowed(const std::string& sql) {
    EXPECT_EQ(raw_->run(sql), "") << sql;
    EXPECT_NE(content(), before_) << sql;
    before_ = content();
  }

  /// An INSERT into the events; `how` is what stands between INSERT and INTO.
  static std::string insert(const std::string& how, const std::string& seq, const std::string& id,
                            const std::string& stream = "NULL",
                            const std::string& stream_seq = "NULL", const std::string& after = "") {
    return "INSERT " + how +
           " INTO annals_events (seq, id, type, schema_version, occurred_at, recorded_at, stream, "
           "stream_seq, resource_kind, receive_action, permission_version, key_id, private, "
           "truncated, row_hash, payload_salt, payload) VALUES (" +
           seq + ", " + id + ", 'a.b', 1, 0, 0, " + stream + ", " + stream_seq +
           ", 'event', 'read', 0, zeroblob(16), 0, 0, zeroblob(32), zeroblob(16), '{}')" + after;
  }

  static std::string id_of(int seq) {
    return "(SELECT id FROM annals_events WHERE seq = " + std::to_string(seq) + ")";
  }

  std::unique_ptr<RawSqlite> raw_;
  std::string before_;
};

TEST_F(Triggers, OnlyTheNextNumberIsInserted) {
  for (const auto* seq : {"1", "3", "5", "0", "-1", "NULL", "9007199254740992"}) {
    refused(insert("", seq, "randomblob(16)"));
  }
  allowed(insert("", "4", "randomblob(16)"));
  allowed(insert("", "5", "randomblob(16)", "'a'", "3"));
}

TEST_F(Triggers, ReplaceTakesNoRowAway) {
  for (const auto* how : {"OR REPLACE", "OR IGNORE", "OR ROLLBACK", "OR FAIL", "OR ABORT"}) {
    refused(insert(how, "2", "randomblob(16)"));  // by its number
    refused(insert(how, "4", id_of(2)));          // by its id
  }
  // Nor when the program that has the file open switches recursive triggers on or off.
  for (const auto* recursive :
       {"PRAGMA recursive_triggers = ON", "PRAGMA recursive_triggers = OFF"}) {
    raw_->must(recursive);
    refused(insert("OR REPLACE", "4", id_of(1)));
  }
  // Nor through a place in a stream that is taken: nothing is unique there that could be replaced.
  allowed(insert("OR REPLACE", "4", "randomblob(16)", "'a'", "2"));
  EXPECT_EQ(raw_->integer("SELECT count(*) FROM annals_events"), 4);
}

TEST_F(Triggers, UpsertChangesNoRow) {
  refused(insert("", "2", "randomblob(16)", "NULL", "NULL",
                 " ON CONFLICT (seq) DO UPDATE SET payload = '{\"x\":1}'"));
  refused(insert("", "4", id_of(1), "NULL", "NULL",
                 " ON CONFLICT (id) DO UPDATE SET payload = '{\"x\":1}'"));
  refused(insert("", "4", id_of(2), "'a'", "1", " ON CONFLICT DO UPDATE SET type = 'x.y'"));
}

TEST_F(Triggers, NoMemberOfAnEventChanges) {
  for (const auto* column : {"seq = seq + 100",
                             "seq = seq",
                             "id = randomblob(16)",
                             "type = 'x.y'",
                             "schema_version = 2",
                             "source = 'x'",
                             "occurred_at = 1",
                             "recorded_at = 1",
                             "stream = 'z'",
                             "stream_seq = 9",
                             "space_id = 'x'",
                             "channel_id = 'x'",
                             "thread_id = 'x'",
                             "resource_kind = 'x'",
                             "resource_id = 'x'",
                             "resource_version = 1",
                             "receive_action = 'x'",
                             "permission_version = 7",
                             "key_id = randomblob(16)",
                             "private = 1",
                             "truncated = 1",
                             "prev_hash = randomblob(32)",
                             "row_hash = randomblob(32)",
                             "payload = '{\"a\":2}'",
                             "payload_salt = randomblob(16)",
                             "meta = '{}'",
                             "meta_salt = randomblob(16)",
                             "redacted_at = 5",
                             "payload = NULL",
                             "meta = NULL",
                             "payload_digest = randomblob(32)",
                             "rowid = 77"}) {
    for (const auto* how : {"", "OR REPLACE ", "OR IGNORE "}) {
      refused("UPDATE " + std::string(how) + "annals_events SET " + column + " WHERE seq = 2");
    }
  }
}

TEST_F(Triggers, APartIsErasedInOneStatement) {
  const std::string erase_payload =
      "UPDATE annals_events SET payload = NULL, payload_salt = NULL, payload_digest = "
      "randomblob(32), redacted_at = 5";
  refused(erase_payload + ", type = 'x.y' WHERE seq = 2");
  refused(erase_payload + ", row_hash = randomblob(32) WHERE seq = 2");
  refused(
      "UPDATE annals_events SET payload = NULL, payload_salt = NULL, payload_digest = "
      "randomblob(32) WHERE seq = 2");
  refused(
      "UPDATE annals_events SET payload = NULL, payload_salt = NULL, redacted_at = 5 WHERE seq "
      "= 2");
  refused(
      "UPDATE annals_events SET payload = NULL, payload_digest = randomblob(32), redacted_at = "
      "5 WHERE seq = 2");
  refused(
      "UPDATE annals_events SET payload_salt = NULL, payload_digest = randomblob(32), "
      "redacted_at = 5 WHERE seq = 2");
  allowed(erase_payload + " WHERE seq = 2");
  refused(erase_payload + " WHERE seq = 2");
  refused("UPDATE annals_events SET payload_digest = randomblob(32) WHERE seq = 2");
  refused("UPDATE annals_events SET redacted_at = 6 WHERE seq = 2");
  refused("UPDATE annals_events SET redacted_at = NULL WHERE seq = 2");
  refused(
      "UPDATE annals_events SET payload = '{}', payload_salt = zeroblob(16), payload_digest = "
      "NULL WHERE seq = 2");
  const std::string erase_meta =
      "UPDATE annals_events SET meta = NULL, meta_salt = NULL, meta_digest = randomblob(32)";
  refused(erase_meta + ", redacted_at = 6 WHERE seq = 2");
  allowed(erase_meta + " WHERE seq = 2");
  allowed(erase_payload +
          ", meta = NULL, meta_salt = NULL, meta_digest = randomblob(32) WHERE seq = 1");
}

TEST_F(Triggers, OnlyWhatIsNotRetainedIsDeleted) {
  refused("DELETE FROM annals_events");
  refused("DELETE FROM annals_events WHERE seq = 1");
  allowed("UPDATE annals_log_state SET oldest = 3");
  refused("DELETE FROM annals_events");
  refused("DELETE FROM annals_events WHERE seq = 3");
  allowed("DELETE FROM annals_events WHERE seq < 3");
}

TEST_F(Triggers, VersionsOfStreamsOnlyGrow) {
  refused("DELETE FROM annals_stream_heads");
  refused("UPDATE annals_stream_heads SET version = version");
  refused("UPDATE annals_stream_heads SET version = 1");
  refused("UPDATE annals_stream_heads SET hash = zeroblob(32)");
  refused("UPDATE annals_stream_heads SET stream = 'b', version = 3");
  refused("INSERT INTO annals_stream_heads VALUES ('a', 9, zeroblob(32))");
  refused("INSERT OR REPLACE INTO annals_stream_heads VALUES ('a', 1, zeroblob(32))");
  refused(
      "INSERT INTO annals_stream_heads VALUES ('a', 1, zeroblob(32)) "
      "ON CONFLICT DO UPDATE SET version = 1");
  allowed("INSERT INTO annals_stream_heads VALUES ('b', 1, zeroblob(32))");
  refused("UPDATE OR REPLACE annals_stream_heads SET stream = 'b', version = 9 WHERE stream = 'a'");
  allowed("UPDATE annals_stream_heads SET version = 3, hash = zeroblob(32) WHERE stream = 'a'");
}

TEST_F(Triggers, TheStateOnlyGrows) {
  refused("DELETE FROM annals_log_state");
  refused("INSERT OR REPLACE INTO annals_log_state SELECT * FROM annals_log_state");
  for (const auto* change :
       {"event_seq = event_seq - 1", "log_id = randomblob(16)", "incarnation = incarnation - 1",
        "permission_version = permission_version - 1", "last_recorded_at = last_recorded_at - 1",
        "oldest = oldest - 1", "id = 2"}) {
    refused("UPDATE annals_log_state SET " + std::string(change));
    refused("UPDATE OR REPLACE annals_log_state SET " + std::string(change));
  }
  allowed("UPDATE annals_log_state SET event_seq = 10, incarnation = 2");
}

TEST_F(Triggers, GapsBeginAtTheNextNumberAndStay) {
  refused("INSERT INTO annals_gaps VALUES (3, 9, 10)");
  refused("INSERT INTO annals_gaps VALUES (5, 9, 10)");
  allowed("INSERT INTO annals_gaps VALUES (4, 9, 10)");
  refused("INSERT OR REPLACE INTO annals_gaps VALUES (4, 20, 21)");
  refused("UPDATE annals_gaps SET gap_to = 20");
  refused("DELETE FROM annals_gaps");
  refused(insert("", "4", "randomblob(16)"));
  refused(insert("", "9", "randomblob(16)"));
  allowed(insert("", "10", "randomblob(16)"));
  allowed(insert("", "11", "randomblob(16)"));
  allowed("UPDATE annals_log_state SET event_seq = 11, oldest = 10");
  allowed("DELETE FROM annals_gaps");
}

TEST_F(Triggers, RedactionsStay) {
  allowed("INSERT INTO annals_redactions VALUES (2, 'payload', zeroblob(32), 3)");
  refused("INSERT OR REPLACE INTO annals_redactions VALUES (2, 'payload', randomblob(32), 3)");
  refused("UPDATE annals_redactions SET digest = randomblob(32)");
  refused("DELETE FROM annals_redactions");
  allowed("INSERT INTO annals_redactions VALUES (2, 'meta', zeroblob(32), 3)");
  allowed("UPDATE annals_log_state SET oldest = 3");
  allowed("DELETE FROM annals_redactions");
}

}  // namespace
}  // namespace annals::test
