#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

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
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Not;

/// For both ways in which stores may end a page.
class VerifyUnreadable : public ::testing::TestWithParam<bool> {
 protected:
  static RecordedLog make_log() {
    RecordedLog log;
    log.short_pages = GetParam();
    return log;
  }
};

INSTANTIATE_TEST_SUITE_P(Pages, VerifyUnreadable, ::testing::Bool(), [](const auto& short_pages) {
  return short_pages.param ? "EndEarly" : "Fail";
});

TEST_P(VerifyUnreadable, OneRowIsNamedAndTheRestVerified) {
  auto log = make_log();
  log.append({"a", "b", "a", "a", "b", ""});
  log.unreadable.insert(3);
  const auto report = run(log);
  EXPECT_TRUE(report.could_not_verify());
  EXPECT_THAT(report.findings, Each(verdict("could_not_verify")));
  EXPECT_THAT(report.findings, Contains(finding("could_not_verify", "unreadable", "", 3)));
  EXPECT_THAT(report.findings, Contains(finding("could_not_verify", "link", "a", 4)));
  EXPECT_EQ(report.events, 5U);
  EXPECT_EQ(report.verified, 4U);
}

TEST_P(VerifyUnreadable, LastRowsOfAStreamAreNotATruncatedTail) {
  auto log = make_log();
  log.append({"a", "a", "b"});
  log.unreadable.insert(2);
  EXPECT_THAT(run(log).findings, Each(verdict("could_not_verify")));
}

TEST_P(VerifyUnreadable, WholeStreamIsNotAMissingStream) {
  auto log = make_log();
  log.append({"a", "b", "a"});
  log.unreadable.insert(2);
  const auto report = run(log);
  EXPECT_THAT(report.findings, Each(verdict("could_not_verify")));
  EXPECT_THAT(report.findings, Contains(finding("could_not_verify", "the whole stream", "b", 0)));
}

TEST_P(VerifyUnreadable, TamperingBesideIsStillFound) {
  auto log = make_log();
  log.append({"a", "b", "a", "b"});
  log.unreadable.insert(2);
  log.at(3).header.type = "order.paid";
  EXPECT_THAT(run(log).findings, Contains(finding("tampered", "header", "a", 3)));
}

TEST_P(VerifyUnreadable, TheRunningHashGoesOnFromTheNextMark) {
  auto log = make_log();
  log.fill(3500, 0);
  log.unreadable.insert(500);
  EXPECT_THAT(run(log).findings, ElementsAre(finding("could_not_verify", "unreadable", "", 500)));
  log.state_row.log_hash = other_digest();
  EXPECT_THAT(run(log).findings,
              Contains(finding("log_hash_mismatch", "log_hash of the state", "", 0)));
}

TEST_P(VerifyUnreadable, ReceiptAfterItCouldNotBeVerified) {
  auto log = make_log();
  log.append({"", "", ""});
  log.unreadable.insert(2);
  const VerifyOptions options{.expect = Receipt{3, log.state_row.log_hash}};
  EXPECT_THAT(
      run(log, options).findings,
      Contains(finding("could_not_verify", "events before the receipt are unreadable", "", 0)));
}

TEST_P(VerifyUnreadable, ALongRunIsOneFinding) {
  auto log = make_log();
  log.fill(3000, 2);
  for (std::uint64_t seq = 1001; seq <= 2000; ++seq)
    log.unreadable.insert(seq);
  const auto report = run(log);
  EXPECT_THAT(report.findings,
              Contains(finding("could_not_verify", "unreadable 1001..2000", "", 1001)));
  EXPECT_THAT(report.findings, Each(verdict("could_not_verify")));
  EXPECT_EQ(report.events, 2000U);
}

TEST_P(VerifyUnreadable, AStoreThatIsLostEndsTheAttempt) {
  auto log = make_log();
  log.fill(30, 2);
  log.state_row.event_seq = 10'000'000'000;
  log.fail_pages = true;
  for (const unsigned threads : {1U, 4U}) {
    const auto report = run(log, {}, plenty, threads);
    EXPECT_TRUE(report.could_not_verify());
    EXPECT_EQ(report.events, 0U);
    EXPECT_THAT(report.findings, Not(Contains(verdict("tampered"))));
    EXPECT_THAT(report.findings, Not(Contains(verdict("seq_gap"))));
  }
}

TEST_P(VerifyUnreadable, IsListedEvenWhenTheListIsFull) {
  auto log = make_log();
  log.append(std::vector<std::string>(20, ""));
  for (std::uint64_t seq = 1; seq <= 19; ++seq)
    log.at(seq).header.type = "order.paid";
  log.unreadable.insert(20);
  const auto report = run(log, {.max_findings = 3});
  EXPECT_EQ(report.findings.size(), 3U);
  EXPECT_TRUE(report.could_not_verify());
}

TEST_P(VerifyUnreadable, DoesNotHideWhatIsProvenInAFullList) {
  auto log = make_log();
  log.append(std::vector<std::string>(20, ""));
  for (std::uint64_t seq = 1; seq <= 19; seq += 2)
    log.unreadable.insert(seq);
  log.at(20).header.type = "order.paid";
  const auto report = run(log, {.max_findings = 3});
  EXPECT_EQ(report.findings.size(), 3U);
  EXPECT_TRUE(report.could_not_verify());
  EXPECT_THAT(report.findings, Contains(finding("tampered", "header", "", 20)));
}

TEST_P(VerifyUnreadable, InOneStream) {
  auto log = make_log();
  log.append({"a", "a", "a", "b"});
  log.unreadable.insert(2);
  const auto report = run(log, {.stream = "a"});
  EXPECT_THAT(report.findings, Each(verdict("could_not_verify")));
  EXPECT_THAT(report.findings, Contains(finding("could_not_verify", "link", "a", 3)));
  EXPECT_EQ(report.events, 2U);
}

}  // namespace
}  // namespace annals::log
