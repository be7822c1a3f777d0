#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/canonical.hpp"
#include "core/hash.hpp"
#include "testing/expect_findings.hpp"

namespace annals::log {
namespace {

using test::finding;
using test::plenty;
using test::RecordedLog;
using test::run;
using test::verdict;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(VerifyLog, EmptyLogIsClean) {
  RecordedLog log;
  const auto report = run(log);
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.events, 0U);
  EXPECT_EQ(report.log_hash, Digest{});
}

TEST(VerifyLog, CleanLogCountsEverything) {
  RecordedLog log;
  log.fill(2500, 4);
  for (const unsigned threads : {1U, 3U}) {
    const auto report = run(log, {}, plenty, threads);
    EXPECT_THAT(report.findings, IsEmpty());
    EXPECT_EQ(report.finding_count, 0U);
    EXPECT_EQ(report.events, 2500U);
    EXPECT_EQ(report.verified, 2500U);
    EXPECT_EQ(report.redacted, 0U);
    EXPECT_EQ(report.chained, 2000U);
    EXPECT_EQ(report.unchained, 500U);
    EXPECT_EQ(report.streams, 4U);
    EXPECT_EQ(report.head, 2500U);
    EXPECT_EQ(report.log_hash, log.state_row.log_hash);
  }
}

TEST(VerifyLog, ProgressEndsAtTheTotal) {
  RecordedLog log;
  log.fill(2500, 2);
  std::vector<std::uint64_t> done;
  std::uint64_t total = 0;
  const VerifyProgress progress = [&](std::uint64_t now, std::uint64_t of) {
    done.push_back(now);
    total = of;
  };
  ASSERT_TRUE(verify(log, {}, plenty, progress, 1));
  EXPECT_THAT(done, ElementsAre(1000, 2000, 2500));
  EXPECT_EQ(total, 2500U);
}

// --- Rows deleted, inserted, swapped

TEST(VerifyLog, LastTwoRowsOfAStreamDeleted) {
  RecordedLog log;
  log.append({"a", "b", "a", "a", "b"});
  log.records.erase(3);
  log.records.erase(4);
  const auto report = run(log);
  EXPECT_THAT(report.findings, Contains(finding("truncated_tail", "after number 1", "a", 1)));
  EXPECT_THAT(report.findings, Contains(finding("seq_gap", "missing 3..4", "", 3)));
  EXPECT_THAT(report.findings, Contains(finding("state_mismatch", "number of events", "", 0)));
  EXPECT_THAT(report.findings,
              Contains(finding("log_hash_mismatch", "log_hash of the state", "", 0)));
  EXPECT_THAT(report.findings, Not(Contains(Field(&Finding::stream, "b"))));
}

TEST(VerifyLog, LastRowsOfTheLogDeleted) {
  RecordedLog log;
  log.append({"a", "a", "a"});
  log.records.erase(3);
  const auto report = run(log);
  EXPECT_THAT(report.findings, Contains(finding("truncated_tail", "after number 2", "a", 2)));
  EXPECT_THAT(report.findings, Contains(finding("seq_gap", "missing 3..3", "", 3)));
}

TEST(VerifyLog, WholeStreamDeleted) {
  RecordedLog log;
  log.append({"a", "b", "a"});
  log.records.erase(2);
  const auto report = run(log);
  EXPECT_THAT(report.findings,
              Contains(finding("missing_stream", "no event of the stream is left", "b", 0)));
  EXPECT_THAT(report.findings, Contains(finding("seq_gap", "missing 2..2", "", 2)));
}

TEST(VerifyLog, WholeStreamDeletedWithItsHead) {
  RecordedLog log;
  log.append({"a", "b", "a"});
  log.records.erase(2);
  log.heads.erase("b");
  EXPECT_THAT(run(log).findings, Contains(finding("seq_gap", "missing 2..2", "", 2)));
}

TEST(VerifyLog, RowInTheMiddleOfAStreamDeleted) {
  RecordedLog log;
  log.append({"a", "a", "a"});
  log.records.erase(2);
  const auto report = run(log);
  EXPECT_THAT(report.findings,
              Contains(AllOf(finding("tampered", "link", "a", 3), Field(&Finding::expected, "2"),
                             Field(&Finding::actual, "3"))));
}

TEST(VerifyLog, UnchainedRowDeleted) {
  RecordedLog log;
  log.append({"", "", ""});
  log.records.erase(2);
  const auto report = run(log);
  EXPECT_THAT(report.findings, Contains(finding("seq_gap", "missing 2..2", "", 2)));
  EXPECT_THAT(report.findings, Not(Contains(verdict("tampered"))));
}

TEST(VerifyLog, RowInsertedAboveTheHead) {
  RecordedLog log;
  log.append({"a", "a"});
  const auto before = log.state_row;
  log.append({"b"});
  log.state_row = before;
  log.heads.erase("b");
  const auto report = run(log);
  EXPECT_THAT(report.findings, Contains(finding("state_mismatch", "number of events", "", 0)));
  EXPECT_THAT(report.findings,
              Contains(finding("state_mismatch", "an event above the head", "b", 3)));
}

TEST(VerifyLog, RowInsertedWithTheStateMovedOn) {
  RecordedLog log;
  log.append({"a", "a"});
  const auto hash = log.state_row.log_hash;
  log.append({"a"});
  log.state_row.log_hash = hash;
  EXPECT_THAT(run(log).findings,
              ElementsAre(finding("log_hash_mismatch", "log_hash of the state", "", 0)));
}

TEST(VerifyLog, RowInsertedIntoARecordedGap) {
  RecordedLog log;
  log.append({"a"});
  log.skip_numbers(3);
  Record forged = log.at(1);
  forged.header.seq = 3;
  forged.header.stream.reset();
  forged.header.stream_seq.reset();
  forged.row_hash = core::row_hash(std::nullopt, core::header_bytes(forged.header));
  log.records[3] = forged;
  const auto report = run(log);
  EXPECT_THAT(report.findings,
              Contains(finding("seq_gap", "an event inside a recorded gap", "", 3)));
  EXPECT_THAT(report.findings, Contains(finding("state_mismatch", "number of events", "", 0)));
}

TEST(VerifyLog, TwoRowsSwapped) {
  RecordedLog log;
  log.append({"a", "a", "a", "a"});
  std::swap(log.at(2), log.at(3));
  std::swap(log.at(2).header.seq, log.at(3).header.seq);
  const auto report = run(log);
  EXPECT_THAT(report.findings, Contains(finding("tampered", "header", "a", 2)));
  EXPECT_THAT(report.findings, Contains(finding("tampered", "header", "a", 3)));
  EXPECT_THAT(report.findings, Contains(finding("tampered", "link", "a", 2)));
}

TEST(VerifyLog, SecondEventWithTheSameParentIsAFork) {
  RecordedLog log;
  log.append({"a", "a", "b"});
  Record& forged = log.at(3);
  forged.header.stream = "a";
  forged.header.stream_seq = 2;
  forged.prev_hash = log.at(2).prev_hash;
  forged.row_hash = core::row_hash(forged.prev_hash, core::header_bytes(forged.header));
  log.heads.erase("b");
  log.heads.at("a").hash = forged.row_hash;
  EXPECT_THAT(run(log).findings, Contains(finding("forked", "number 2 twice", "a", 3)));
}

}  // namespace
}  // namespace annals::log
