#include "log/chain_check.hpp"

#include <gtest/gtest.h>

#include "log/verify/recorded_log.hpp"

namespace annals::log {
namespace {

Digest digest(std::uint8_t fill) {
  Digest value{};
  value.fill(fill);
  return value;
}

TEST(CheckLink, FirstEventHasNumberOneAndNoPreviousHash) {
  EXPECT_EQ(check_link(nullptr, {1, std::nullopt}), LinkVerdict::ok);
  EXPECT_EQ(check_link(nullptr, {1, Digest{}}), LinkVerdict::wrong_hash);
  EXPECT_EQ(check_link(nullptr, {2, digest(1)}), LinkVerdict::wrong_number);
  EXPECT_EQ(check_link(nullptr, {std::nullopt, std::nullopt}), LinkVerdict::wrong_number);
}

TEST(CheckLink, NextEventContinuesTheEnd) {
  const ChainEnd end{.version = 4, .hash = digest(4), .prev_hash = digest(3), .seq = 9};
  EXPECT_EQ(check_link(&end, {5, digest(4)}), LinkVerdict::ok);
  EXPECT_EQ(check_link(&end, {5, digest(3)}), LinkVerdict::wrong_hash);
  EXPECT_EQ(check_link(&end, {5, std::nullopt}), LinkVerdict::wrong_hash);
  EXPECT_EQ(check_link(&end, {6, digest(4)}), LinkVerdict::wrong_number);
  EXPECT_EQ(check_link(&end, {4, digest(4)}), LinkVerdict::wrong_number);
}

TEST(CheckLink, SecondChildOfOneParentIsAFork) {
  const ChainEnd end{.version = 4, .hash = digest(4), .prev_hash = digest(3), .seq = 9};
  EXPECT_EQ(check_link(&end, {4, digest(3)}), LinkVerdict::forked);
  const ChainEnd first{.version = 1, .hash = digest(1), .prev_hash = std::nullopt, .seq = 2};
  EXPECT_EQ(check_link(&first, {1, std::nullopt}), LinkVerdict::forked);
}

TEST(CheckLink, NothingForksAnAnchor) {
  const ChainEnd anchor{.version = 4, .hash = digest(4), .prev_hash = std::nullopt, .seq = 0};
  EXPECT_EQ(check_link(&anchor, {5, digest(4)}), LinkVerdict::ok);
  EXPECT_EQ(check_link(&anchor, {4, std::nullopt}), LinkVerdict::wrong_number);
}

TEST(CheckUnchained, ClaimsNothing) {
  EXPECT_EQ(check_unchained({std::nullopt, std::nullopt}), LinkVerdict::ok);
  EXPECT_EQ(check_unchained({1, std::nullopt}), LinkVerdict::wrong_number);
  EXPECT_EQ(check_unchained({std::nullopt, digest(1)}), LinkVerdict::wrong_hash);
}

TEST(RecordChecker, ErasedPartsAreNotJudged) {
  test::RecordedLog log;
  log.append({"a", "a"});
  RecordChecker checker{false};
  EXPECT_EQ(checker.check(log.at(2)), nullptr);
  EXPECT_FALSE(payload_erased(log.at(2)));
  EXPECT_FALSE(meta_erased(log.at(2)));
  EXPECT_FALSE(meta_erased(log.at(1))) << "an empty meta was never there";
  log.erase(2, true, true);
  EXPECT_TRUE(payload_erased(log.at(2)));
  EXPECT_TRUE(meta_erased(log.at(2)));
  EXPECT_EQ(checker.check(log.at(2)), nullptr);
}

TEST(RecordChecker, ChangedDigestOfAnErasedPartIsAChangedHeader) {
  test::RecordedLog log;
  log.append({"a", "a"});
  log.erase(2, true, false);
  log.at(2).header.payload_digest = digest(9);
  RecordChecker checker{false};
  const auto fault = checker.check(log.at(2));
  ASSERT_NE(fault, nullptr);
  EXPECT_TRUE(fault->header);
  EXPECT_FALSE(fault->payload);
  EXPECT_FALSE(fault->meta);
}

TEST(RecordChecker, HeaderAndPayloadChangedAreBothNamed) {
  test::RecordedLog log;
  log.append({"a"});
  log.at(1).payload->bytes = "{}";
  log.at(1).header.type = "order.paid";
  RecordChecker checker{false};
  const auto fault = checker.check(log.at(1));
  ASSERT_NE(fault, nullptr);
  EXPECT_TRUE(fault->header);
  EXPECT_TRUE(fault->payload);
}

}  // namespace
}  // namespace annals::log
