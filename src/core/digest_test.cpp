#include "annals/digest.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace annals {
namespace {

TEST(Digest, WritesLowerCaseHex) {
  Digest digest{};
  digest.front() = 0xab;
  digest.back() = 0x01;
  EXPECT_EQ(to_hex(digest), "ab" + std::string(60, '0') + "01");
  Salt salt{};
  salt.front() = 0x0f;
  EXPECT_EQ(to_hex(salt), "0f" + std::string(30, '0'));
}

TEST(Digest, ReadsExactlySixtyFourDigits) {
  EXPECT_EQ(parse_digest(std::string(64, '0')), Digest{});
  EXPECT_EQ(parse_digest(std::string(64, 'F')), parse_digest(std::string(64, 'f')));
  EXPECT_FALSE(parse_digest(""));
  EXPECT_FALSE(parse_digest(std::string(63, '0')));
  EXPECT_FALSE(parse_digest(std::string(65, '0')));
  EXPECT_FALSE(parse_digest(std::string(63, '0') + "g"));
  EXPECT_FALSE(parse_digest("0x" + std::string(62, '0')));
}

RC_GTEST_PROP(DigestProperty, RoundTrips, (Digest digest)) {
  RC_ASSERT(parse_digest(to_hex(digest)) == digest);
}

}  // namespace
}  // namespace annals
