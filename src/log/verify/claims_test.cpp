#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/canonical.hpp"
#include "core/hash.hpp"
#include "testing/expect_findings.hpp"

namespace annals::log {
namespace {

using test::finding;
using test::other_digest;
using test::plenty;
using test::RecordedLog;
using test::run;
using test::verdict;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

TEST(VerifyLog, EventsThatAreNotFoundByTheirIdsAreNamed) {
  RecordedLog log;
  log.fill(2500, 3);
  log.lost = {7, 2001};
  EXPECT_THAT(run(log).findings,
              ElementsAre(finding("state_mismatch", "not found by its id", "", 7),
                          finding("state_mismatch", "not found by its id", "", 2001)));
}

// --- Hashes recomputed

TEST(VerifyLog, RecomputedStreamIsFoundThroughTheLogHash) {
  RecordedLog log;
  log.append({"a", "b", "a"});
  log.at(1).payload->bytes = R"({"number":99})";
  log.rehash_stream("a");
  EXPECT_THAT(run(log).findings,
              ElementsAre(finding("log_hash_mismatch", "log_hash of the state", "", 0)));
}

TEST(VerifyLog, MarksSayWhereARecomputedStreamWasChanged) {
  RecordedLog log;
  log.fill(3500, 0);
  log.at(1500).header.source = "else";
  log.at(1500).row_hash = core::row_hash(std::nullopt, core::header_bytes(log.at(1500).header));
  EXPECT_THAT(run(log).findings,
              ElementsAre(finding("log_hash_mismatch", "hash mark over 1001..2000", "", 2000),
                          finding("log_hash_mismatch", "log_hash of the state", "", 0)));
}

TEST(VerifyLog, ReceiptKeptElsewhereFindsARewriteOfEverything) {
  RecordedLog log;
  log.append({"a", "b", "a"});
  const Receipt receipt{
      2, core::next_log_hash(core::next_log_hash({}, log.at(1).row_hash), log.at(2).row_hash)};
  EXPECT_TRUE(run(log, {.expect = receipt}).clean());
  log.at(1).payload->bytes = R"({"number":99})";
  log.rehash_stream("a");
  Digest hash{};
  for (const auto& [seq, record] : log.records)
    hash = core::next_log_hash(hash, record.row_hash);
  log.state_row.log_hash = hash;
  EXPECT_TRUE(run(log).clean());
  EXPECT_THAT(run(log, {.expect = receipt}).findings,
              ElementsAre(AllOf(finding("log_hash_mismatch", "receipt", "", 2),
                                Field(&Finding::expected, to_hex(receipt.log_hash)))));
}

TEST(VerifyLog, ReceiptAboveTheHeadMeansRolledBack) {
  RecordedLog log;
  log.append({"a"});
  EXPECT_THAT(run(log, {.expect = Receipt{2, {}}}).findings,
              ElementsAre(AllOf(verdict("rolled_back"), Field(&Finding::expected, "2"),
                                Field(&Finding::actual, "1"))));
}

TEST(VerifyLog, ReceiptOfNoEventIsTheBase) {
  RecordedLog log;
  log.append({"a"});
  EXPECT_TRUE(run(log, {.expect = Receipt{0, {}}}).clean());
  EXPECT_THAT(run(log, {.expect = Receipt{0, other_digest()}}).findings,
              ElementsAre(verdict("log_hash_mismatch")));
}

TEST(VerifyLog, ReceiptOfANumberThatWasLostIsRolledBack) {
  RecordedLog log;
  log.append({"a"});
  log.skip_numbers(5);
  EXPECT_THAT(run(log, {.expect = Receipt{3, {}}}).findings, ElementsAre(verdict("rolled_back")));
}

// --- Heads, state, gaps

TEST(VerifyLog, ChangedHeadHash) {
  RecordedLog log;
  log.append({"a", "b"});
  log.heads.at("a").hash = other_digest();
  EXPECT_THAT(run(log).findings, ElementsAre(finding("state_mismatch", "stream head", "a", 1)));
}

TEST(VerifyLog, LoweredHeadVersion) {
  RecordedLog log;
  log.append({"a", "a"});
  log.heads.at("a") = {"a", 1, log.at(1).row_hash};
  EXPECT_THAT(run(log).findings,
              ElementsAre(AllOf(finding("state_mismatch", "stream head", "a", 2),
                                Field(&Finding::expected, "1"), Field(&Finding::actual, "2"))));
}

TEST(VerifyLog, RaisedHeadVersionIsATruncatedTail) {
  RecordedLog log;
  log.append({"a", "a"});
  log.heads.at("a").version = 3;
  EXPECT_THAT(run(log).findings, ElementsAre(finding("truncated_tail", "after number 2", "a", 2)));
}

TEST(VerifyLog, DeletedHead) {
  RecordedLog log;
  log.append({"a", "b"});
  log.heads.erase("a");
  EXPECT_THAT(run(log).findings, ElementsAre(finding("state_mismatch", "no stream head", "a", 1)));
}

TEST(VerifyLog, InventedHead) {
  RecordedLog log;
  log.append({"a"});
  log.heads["x"] = {"x", 2, other_digest()};
  EXPECT_THAT(run(log).findings, ElementsAre(verdict("missing_stream")));
}

TEST(VerifyLog, ChangedState) {
  const auto with = [](const std::function<void(LogState&)>& change) {
    RecordedLog log;
    log.append({"a", "a", "a"});
    change(log.state_row);
    return run(log).findings;
  };
  EXPECT_THAT(with([](auto& state) { state.log_hash = other_digest(); }),
              ElementsAre(finding("log_hash_mismatch", "log_hash of the state", "", 0)));
  EXPECT_THAT(with([](auto& state) { state.base_log_hash = other_digest(); }),
              Contains(finding("state_mismatch", "base_log_hash", "", 0)));
  EXPECT_THAT(with([](auto& state) { state.event_seq = 2; }),
              Contains(finding("state_mismatch", "an event above the head", "a", 3)));
  EXPECT_THAT(with([](auto& state) { state.event_seq = 4; }),
              Contains(finding("seq_gap", "missing 4..4", "", 4)));
  EXPECT_THAT(with([](auto& state) { state.last_recorded_at += std::chrono::microseconds(1); }),
              ElementsAre(finding("state_mismatch", "last_recorded_at", "", 0)));
  EXPECT_THAT(with([](auto& state) { state.oldest = 2; }),
              Contains(finding("uncorroborated_anchor", "nothing says what stood before number 2",
                               "a", 2)));
  EXPECT_THAT(with([](auto& state) { state.log_id.bytes[0] ^= 1; }),
              AllOf(::testing::SizeIs(3), Each(Field(&Finding::what, "header"))));
}

TEST(VerifyLog, ChangedPermissionVersion) {
  RecordedLog log;
  log.state_row.permission_version = 4;
  log.append({"a"});
  EXPECT_TRUE(run(log).clean());
  for (const std::uint64_t version : {3U, 5U}) {
    log.state_row.permission_version = version;
    EXPECT_THAT(run(log).findings,
                ElementsAre(finding("state_mismatch", "permission_version", "", 0)));
  }
}

TEST(VerifyLog, RecordedGapIsClean) {
  RecordedLog log;
  log.append({"a", "a"});
  log.skip_numbers(1'000'000);
  log.append({"a", ""});
  const auto report = run(log, {}, plenty, 2);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.events, 5U);
}

TEST(VerifyLog, GapWithoutARecordIsFound) {
  RecordedLog log;
  log.append({"", "", ""});
  log.records.erase(2);
  log.gap_rows.push_back({2, 2, 3});
  EXPECT_THAT(run(log).findings, Contains(finding("seq_gap", "no record explains 2..2", "", 2)));
}

TEST(VerifyLog, ChangedMarkIsFoundAndOnlyThere) {
  RecordedLog log;
  log.fill(3000, 2);
  log.marks[2000] = other_digest();
  EXPECT_THAT(run(log).findings,
              ElementsAre(finding("log_hash_mismatch", "hash mark over 1001..2000", "", 2000)));
}

TEST(VerifyLog, MissingMarkIsFound) {
  RecordedLog log;
  log.fill(2000, 2);
  log.marks.erase(1000);
  EXPECT_THAT(run(log).findings, ElementsAre(finding("state_mismatch", "hash mark", "", 0)));
}

TEST(VerifyLog, EveryFindingIsCountedAndTheFirstAreListed) {
  RecordedLog log;
  log.append(std::vector<std::string>(20, ""));
  for (std::uint64_t seq = 1; seq <= 20; ++seq)
    log.at(seq).header.type = "order.paid";
  const auto report = run(log, {.max_findings = 5});
  EXPECT_EQ(report.finding_count, 20U);
  EXPECT_EQ(report.findings.size(), 5U);
  EXPECT_EQ(report.verified, 0U);
}

}  // namespace
}  // namespace annals::log
