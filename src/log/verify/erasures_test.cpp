#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

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
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(VerifyErasures, ErasedByHandWithoutARecord) {
  RecordedLog log;
  log.append({"a", "a", "a"});
  log.erase(2, true, true);
  const auto report = run(log);
  EXPECT_THAT(report.findings,
              UnorderedElementsAre(finding("unauthorised_erasure", "payload", "a", 2),
                                   finding("unauthorised_erasure", "meta", "a", 2)));
  EXPECT_EQ(report.verified, 2U);
  EXPECT_EQ(report.redacted, 0U);
}

TEST(VerifyErasures, ErasedUnderARecordIsRedacted) {
  RecordedLog log;
  log.append({"a", "a", ""});
  log.erase(2, true, true);
  log.append_redaction(log.target(2, "payload") + "," + log.target(2, "meta"));
  const auto report = run(log);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.events, 4U);
  EXPECT_EQ(report.verified, 3U);
  EXPECT_EQ(report.redacted, 1U);
}

TEST(VerifyErasures, OnePartUnderARecordTheOtherByHand) {
  RecordedLog log;
  log.append({"a", "a"});
  log.erase(2, true, true);
  log.append_redaction(log.target(2, "payload"));
  const auto report = run(log);
  EXPECT_THAT(report.findings, ElementsAre(finding("unauthorised_erasure", "meta", "a", 2)));
  EXPECT_EQ(report.redacted, 0U);
}

TEST(VerifyErasures, PartsErasedOneAfterTheOther) {
  RecordedLog log;
  log.append({"a", "a"});
  log.erase(2, true, false);
  const auto first = log.at(2).redacted_at;
  log.append_redaction(log.target(2, "payload"));
  log.erase(2, false, true);
  log.at(2).redacted_at = first;
  log.append_redaction(log.target(2, "meta"));
  EXPECT_THAT(run(log).findings, IsEmpty());
}

TEST(VerifyErasures, RecordOfAnotherDigestExplainsNothing) {
  RecordedLog log;
  log.append({"a", "a"});
  std::string target = log.target(2, "payload");
  target.replace(target.rfind('"') - 2, 2, target.ends_with("00\"}") ? "11" : "00");
  log.erase(2, true, false);
  log.append_redaction(target);
  EXPECT_THAT(run(log).findings, ElementsAre(finding("unauthorised_erasure", "payload", "a", 2)));
}

TEST(VerifyErasures, RecordInAnotherStreamExplainsNothing) {
  RecordedLog log;
  log.append({"a", "a"});
  log.erase(2, true, false);
  log.append_own("$other", "log.redacted", R"({"targets":[)" + log.target(2, "payload") + "]}");
  EXPECT_THAT(run(log).findings, ElementsAre(finding("unauthorised_erasure", "payload", "a", 2)));
}

TEST(VerifyErasures, RecordThatIsItselfChangedExplainsNothing) {
  RecordedLog log;
  log.append({"a", "a"});
  const std::string target = log.target(2, "payload");
  log.erase(2, true, false);
  log.append_redaction(log.target(1, "payload"));
  log.at(3).payload->bytes = R"({"targets":[)" + target + "]}";
  EXPECT_THAT(run(log).findings,
              UnorderedElementsAre(finding("unauthorised_erasure", "payload", "a", 2),
                                   finding("tampered", "payload", "$redactions", 3)));
}

TEST(VerifyErasures, MarkWithoutAnErasure) {
  RecordedLog log;
  log.append({"a"});
  log.at(1).redacted_at = Timestamp{};
  EXPECT_THAT(run(log).findings,
              ElementsAre(finding("unauthorised_erasure", "redacted_at", "a", 1)));
}

TEST(VerifyErasures, ErasureWithoutAMark) {
  RecordedLog log;
  log.append({"a"});
  log.erase(1, true, false);
  log.append_redaction(log.target(1, "payload"));
  log.at(1).redacted_at.reset();
  EXPECT_THAT(run(log).findings,
              ElementsAre(finding("unauthorised_erasure", "redacted_at", "a", 1)));
}

TEST(VerifyErasures, MarkOfAnotherTime) {
  RecordedLog log;
  log.append({"a"});
  log.erase(1, true, false);
  log.append_redaction(log.target(1, "payload"));
  *log.at(1).redacted_at += std::chrono::microseconds(1);
  EXPECT_THAT(run(log).findings,
              ElementsAre(finding("unauthorised_erasure", "redacted_at", "a", 1)));
}

TEST(VerifyErasures, ChangedHeaderOfARedactedEventIsStillFound) {
  RecordedLog log;
  log.append({"a"});
  log.erase(1, true, false);
  log.append_redaction(log.target(1, "payload"));
  log.at(1).header.type = "order.paid";
  const auto report = run(log);
  EXPECT_THAT(report.findings, ElementsAre(finding("tampered", "header", "a", 1)));
  EXPECT_EQ(report.redacted, 0U);
}

TEST(VerifyErasures, MoreThanFitInMemoryAreSettledOnTheWay) {
  RecordedLog log;
  log.append(std::vector<std::string>(60, "a"));
  for (std::uint64_t seq = 1; seq <= 50; ++seq) {
    log.erase(seq, true, false);
    log.append_redaction(log.target(seq, "payload"));
  }
  log.erase(55, true, false);
  const auto report = run(log, {}, 1);
  EXPECT_THAT(report.findings, ElementsAre(finding("unauthorised_erasure", "payload", "a", 55)));
  EXPECT_EQ(report.redacted, 50U);
}

TEST(VerifyErasures, UnreadableRecordsAreNoProofOfAnything) {
  RecordedLog log;
  log.append({"a"});
  log.erase(1, true, false);
  log.append_redaction(log.target(1, "payload"));
  log.unreadable.insert(2);
  const auto report = run(log);
  EXPECT_THAT(report.findings,
              Contains(finding("could_not_verify", "the erasure of payload", "a", 1)));
  EXPECT_THAT(report.findings, Each(verdict("could_not_verify")));
}

TEST(VerifyErasures, OfOneStreamAreResolvedToo) {
  RecordedLog log;
  log.append({"a", "b"});
  log.erase(1, true, false);
  log.append_redaction(log.target(1, "payload"));
  const auto report = run(log, {.stream = "a"});
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.redacted, 1U);
}

}  // namespace
}  // namespace annals::log
