#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/canonical.hpp"
#include "core/hash.hpp"
#include "log/verify/chains.hpp"
#include "testing/expect_findings.hpp"

namespace annals::log {
namespace {

using test::finding;
using test::other_digest;
using test::plenty;
using test::RecordedLog;
using test::run;
using test::verdict;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// --- One stream

TEST(VerifyStream, LooksAtItsEventsOnly) {
  RecordedLog log;
  log.fill(3000, 2);
  const auto report = run(log, {.stream = "s1"});
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.events, 1000U);
  EXPECT_EQ(report.verified, 1000U);
  EXPECT_EQ(report.chained, 1000U);
  EXPECT_EQ(report.streams, 1U);
  log.at(1).header.type = "order.paid";
  EXPECT_TRUE(run(log, {.stream = "s1"}).clean());
  EXPECT_THAT(run(log, {.stream = "s0"}).findings,
              ElementsAre(finding("tampered", "header", "s0", 1)));
}

TEST(VerifyStream, UnknownIsNotFound) {
  RecordedLog log;
  log.append({"a"});
  const auto report = verify(log, {.stream = "x"}, plenty, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::not_found);
}

TEST(VerifyStream, FindsTruncatedTailAndMissingStream) {
  RecordedLog log;
  log.append({"a", "a", "b"});
  log.records.erase(2);
  log.records.erase(3);
  EXPECT_THAT(run(log, {.stream = "a"}).findings,
              ElementsAre(finding("truncated_tail", "after number 1", "a", 1)));
  EXPECT_THAT(run(log, {.stream = "b"}).findings, ElementsAre(verdict("missing_stream")));
}

TEST(VerifyStream, WithinARangeStartsFromThePreviousEvent) {
  RecordedLog log;
  log.append({"a", "a", "a", "a", "a"});
  log.at(2).header.type = "order.paid";
  const auto report = run(log, {.stream = "a", .from = 3, .to = 4});
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.events, 2U);
  log.at(3).prev_hash = other_digest();
  EXPECT_THAT(run(log, {.stream = "a", .from = 3, .to = 4}).findings,
              ElementsAre(finding("tampered", "link", "a", 3)));
}

TEST(VerifyStream, SaysThatAReceiptIsNotOfAStream) {
  RecordedLog log;
  log.append({"a"});
  EXPECT_TRUE(
      run(log, {.stream = "a", .expect = Receipt{1, log.state_row.log_hash}}).could_not_verify());
}

// --- A range

TEST(VerifyRange, LooksAtItsEventsOnly) {
  RecordedLog log;
  log.fill(5000, 3);
  log.at(1).header.type = "order.paid";
  log.at(4900).header.type = "order.paid";
  const auto report = run(log, {.from = 1500, .to = 4500});
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.events, 3001U);
  EXPECT_EQ(report.head, 4500U);
  EXPECT_FALSE(run(log, {.from = 4500}).clean());
}

TEST(VerifyRange, ComparesLinksAcrossItsBeginning) {
  RecordedLog log;
  log.append({"a", "b", "a", "b"});
  log.at(3).prev_hash = other_digest();
  EXPECT_THAT(run(log, {.from = 3}).findings, ElementsAre(finding("tampered", "link", "a", 3)));
}

TEST(VerifyRange, ToTheHeadComparesStateAndHeads) {
  RecordedLog log;
  log.fill(2500, 2);
  EXPECT_TRUE(run(log, {.from = 1700}).clean());
  log.heads.at("s1").hash = other_digest();
  log.state_row.log_hash = other_digest();
  EXPECT_THAT(run(log, {.from = 1700}).findings,
              ElementsAre(verdict("state_mismatch"), verdict("log_hash_mismatch")));
  EXPECT_TRUE(run(log, {.from = 1700, .to = 2499}).clean());
}

TEST(VerifyRange, ReceiptInsideIsComparedOutsideIsNot) {
  RecordedLog log;
  log.fill(2500, 2);
  const Receipt at_2000{2000, log.marks.at(2000)};
  EXPECT_TRUE(run(log, {.from = 1700, .expect = at_2000}).clean());
  EXPECT_TRUE(run(log, {.from = 2001, .expect = at_2000}).clean());
  EXPECT_THAT(run(log, {.from = 2100, .expect = at_2000}).findings,
              ElementsAre(verdict("could_not_verify")));
  EXPECT_THAT(run(log, {.to = 1999, .expect = at_2000}).findings,
              ElementsAre(verdict("could_not_verify")));
}

TEST(VerifyRange, BackwardsIsRefused) {
  RecordedLog log;
  log.append({"a", "a", "a"});
  const auto report = verify(log, {.from = 3, .to = 2}, plenty, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::invalid_request);
}

TEST(VerifyRange, AboveTheHeadIsEmpty) {
  RecordedLog log;
  log.append({"a", "a", "a"});
  const auto report = run(log, {.from = 7, .to = 9});
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.events, 0U);
}

// --- Bounded memory

TEST(VerifyPasses, MoreStreamsThanFitInMemoryGiveTheSameReport) {
  RecordedLog log;
  log.fill(3000, 700);
  const auto whole = run(log);
  std::uint64_t last = 0;
  std::uint64_t total = 0;
  const VerifyProgress progress = [&](std::uint64_t done, std::uint64_t of) {
    last = done;
    total = of;
  };
  const auto parts = verify(log, {}, 1, progress, 2);
  ASSERT_TRUE(parts);
  EXPECT_GT(total, 5 * 3000U) << "several passes";
  EXPECT_EQ(last, total);
  EXPECT_THAT(parts->findings, IsEmpty());
  EXPECT_EQ(parts->events, whole.events);
  EXPECT_EQ(parts->verified, 3000U);
  EXPECT_EQ(parts->chained, whole.chained);
  EXPECT_EQ(parts->unchained, whole.unchained);
  EXPECT_EQ(parts->streams, 700U);
  EXPECT_EQ(parts->head, whole.head);
  EXPECT_EQ(parts->log_hash, whole.log_hash);
}

TEST(VerifyPasses, FindTheSame) {
  RecordedLog log;
  log.fill(3000, 700);
  log.at(2).header.type = "order.paid";
  log.at(1701).payload->bytes = "{}";
  log.at(701).header.source.reset();
  log.heads.at("s17").version += 1;
  log.records.erase(1405);
  log.heads["x"] = {"x", 1, other_digest()};
  const auto whole = run(log);
  const auto parts = run(log, {}, 1);
  EXPECT_EQ(parts.finding_count, whole.finding_count);
  EXPECT_THAT(parts.findings, ::testing::UnorderedElementsAreArray(whole.findings));
  EXPECT_EQ(parts.verified, whole.verified);
}

// --- A log that grows meanwhile

/// Appends while it is being read.
class GrowingLog final : public RecordedLog {
 public:
  Result<std::vector<StreamHead>> streams(std::string_view prefix, std::string_view after,
                                          std::size_t limit) override {
    append({"a", "new", ""});
    return RecordedLog::streams(prefix, after, limit);
  }
  Result<std::uint64_t> count() override {
    append({"a"});
    return RecordedLog::count();
  }
};

TEST(VerifyGrowing, NewEventsAreNeitherVerifiedNorMissed) {
  GrowingLog log;
  log.append({"a", "b", "a"});
  const auto report = run(log);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.events, 3U);
  EXPECT_EQ(report.head, 3U);
}

TEST(VerifyGrowing, ATruncatedTailIsFoundAlthoughTheStreamGoesOn) {
  GrowingLog log;
  log.append({"a", "b", "a", "a", "b"});
  log.records.erase(3);
  log.records.erase(4);
  EXPECT_THAT(run(log).findings, Contains(finding("truncated_tail", "after number 1", "a", 1)));
}

// --- A log that no longer has its beginning

TEST(VerifyAnchors, ChainContinuesFromTheAnchor) {
  RecordedLog log;
  log.append({"a", "a", "a", "b"});
  LogFacts facts;
  facts.state = log.state_row;
  facts.state.oldest = 3;
  facts.anchors = {{"a", 2, log.at(2).row_hash}, {"gone", 5, other_digest()}};
  log.heads["gone"] = {"gone", 5, other_digest()};
  const UnreadableNumbers unreadable;
  RecordChecker checker{false};
  const auto check = [&](const LogFacts& claims) {
    Findings findings(100);
    ChainsCheck chains(log, claims, {3, 4}, {}, unreadable, findings);
    chains.on_row(check_row(checker, log.at(3), log.state_row.log_id));
    chains.on_row(check_row(checker, log.at(4), log.state_row.log_id));
    chains.finish();
    return findings.take();
  };
  EXPECT_THAT(check(facts), IsEmpty());

  facts.anchors[0].hash = other_digest();
  EXPECT_THAT(check(facts), ElementsAre(finding("tampered", "link", "a", 3)));

  facts.anchors.clear();
  EXPECT_THAT(check(facts),
              ElementsAre(verdict("uncorroborated_anchor"), verdict("missing_stream")));
}

}  // namespace
}  // namespace annals::log
