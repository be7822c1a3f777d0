#include "log/verify/records.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "annals/record.hpp"

namespace annals::log {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string digest_text(64, 'a');

Digest digest() {
  Digest value{};
  value.fill(0xaa);
  return value;
}

TEST(ParseRedaction, ReadsTargetsAndLeavesTheRest) {
  const auto targets = parse_redaction(
      R"({"reason":"gdpr","who":{"kind":"user"},"targets":[{"seq":7,"part":"payload","digest":")" +
      digest_text + R"("},{"part":"meta","extra":[1],"digest":")" + digest_text +
      R"(","seq":9007199254740991}]})");
  ASSERT_TRUE(targets);
  EXPECT_THAT(*targets, ElementsAre(RedactionTarget{7, PartKind::payload, digest()},
                                    RedactionTarget{max_seq, PartKind::meta, digest()}));
}

class MalformedRedaction : public ::testing::TestWithParam<std::string> {};

TEST_P(MalformedRedaction, IsRefused) {
  const auto targets = parse_redaction(GetParam());
  ASSERT_FALSE(targets);
  EXPECT_EQ(targets.error().code, ErrorCode::store_corrupt);
}

INSTANTIATE_TEST_SUITE_P(
    Every, MalformedRedaction,
    ::testing::Values(
        "", "[]", "{}", R"({"targets":{}})", R"({"targets":[1]})", R"({"targets":[{}]})",
        R"({"targets":[{"part":"payload","digest":")" + digest_text + R"("}]})",
        R"({"targets":[{"seq":7,"digest":")" + digest_text + R"("}]})",
        R"({"targets":[{"seq":7,"part":"header","digest":")" + digest_text + R"("}]})",
        R"({"targets":[{"seq":7,"part":"payload"}]})",
        R"({"targets":[{"seq":7,"part":"payload","digest":"aa"}]})",
        R"({"targets":[{"seq":7.5,"part":"payload","digest":")" + digest_text + R"("}]})",
        R"({"targets":[{"seq":-7,"part":"payload","digest":")" + digest_text + R"("}]})",
        R"({"targets":[{"seq":9007199254740992,"part":"payload","digest":")" + digest_text +
            R"("}]})",
        R"({"targets":[]} x)"));

TEST(ParseGaps, ReadsRunsAndLeavesTheRest) {
  const auto gaps = parse_gaps(R"({"gaps":[{"from":2,"to":4},{"why":"x","to":9,"from":9}],"n":2})");
  ASSERT_TRUE(gaps);
  EXPECT_THAT(*gaps, ElementsAre(SkippedNumbers{2, 4}, SkippedNumbers{9, 9}));
}

TEST(ParseGaps, NoneWithoutTheMember) {
  const auto gaps = parse_gaps(R"({"source":"x"})");
  ASSERT_TRUE(gaps);
  EXPECT_THAT(*gaps, IsEmpty());
}

TEST(ParseGaps, RefusesWhatIsNoRun) {
  EXPECT_FALSE(parse_gaps(R"({"gaps":[{"from":4,"to":2}]})"));
  EXPECT_FALSE(parse_gaps(R"({"gaps":[{"from":4}]})"));
  EXPECT_FALSE(parse_gaps(R"({"gaps":[{"to":4}]})"));
  EXPECT_FALSE(parse_gaps(R"({"gaps":[[1,2]]})"));
  EXPECT_FALSE(parse_gaps(R"({"gaps":7})"));
}

}  // namespace
}  // namespace annals::log
