#include "server/token_buckets.hpp"

#include <gtest/gtest.h>

#include <string>

namespace annals::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Deadline start{seconds{1000}};

TEST(TokenBuckets, AFullBucketHoldsTheBurst) {
  TokenBuckets<int> buckets{10, seconds{2}, 100};
  for (int i = 0; i < 20; ++i)
    EXPECT_FALSE(buckets.take(1, 1, start)) << i;
  EXPECT_TRUE(buckets.take(1, 1, start));
  EXPECT_FALSE(buckets.take(2, 1, start)) << "everybody has a bucket of their own";
}

TEST(TokenBuckets, ItFillsSteadilyAndNoFurtherThanTheBurst) {
  TokenBuckets<int> buckets{10, seconds{2}, 100};
  EXPECT_FALSE(buckets.take(1, 20, start));
  EXPECT_TRUE(buckets.take(1, 1, start));
  EXPECT_FALSE(buckets.take(1, 1, start + milliseconds{100}));
  EXPECT_TRUE(buckets.take(1, 1, start + milliseconds{100}));
  const Deadline later = start + seconds{3600};
  for (int i = 0; i < 20; ++i)
    EXPECT_FALSE(buckets.take(1, 1, later)) << i;
  EXPECT_TRUE(buckets.take(1, 1, later));
}

TEST(TokenBuckets, MoreThanItHoldsIsPaidOffBeforeTheNext) {
  TokenBuckets<int> buckets{10, seconds{1}, 100};
  EXPECT_FALSE(buckets.take(1, 100, start)) << "it was not empty";
  const auto wait = buckets.take(1, 1, start);
  ASSERT_TRUE(wait);
  EXPECT_EQ(*wait, seconds{9});
  EXPECT_EQ(buckets.wait(1, start), seconds{9});
  EXPECT_TRUE(buckets.take(1, 1, start + seconds{8}));
  EXPECT_FALSE(buckets.take(1, 1, start + seconds{9} + milliseconds{1}));
}

TEST(TokenBuckets, WhoIsRefusedPaysNothing) {
  TokenBuckets<int> buckets{1, seconds{1}, 100};
  EXPECT_FALSE(buckets.take(1, 1, start));
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(buckets.take(1, 1, start));
  EXPECT_FALSE(buckets.take(1, 1, start + milliseconds{1}));
}

TEST(TokenBuckets, TheMeanIsKeptOverTime) {
  TokenBuckets<int> buckets{1000, seconds{1}, 100};
  std::uint64_t taken = 0;
  for (int ms = 0; ms < 60'000; ++ms) {
    while (!buckets.take(1, 7, start + milliseconds{ms}))
      taken += 7;
  }
  EXPECT_GE(taken, 60'000U);
  EXPECT_LE(taken, 61'000U + 7U);
}

TEST(TokenBuckets, AnAbsurdAmountIsADay) {
  TokenBuckets<int> buckets{1, seconds{1}, 100};
  EXPECT_FALSE(buckets.take(1, std::uint64_t{1} << 63U, start));
  EXPECT_EQ(buckets.wait(1, start), std::chrono::hours{24} - seconds{1});
}

TEST(TokenBuckets, OnlySoManyAreRemembered) {
  TokenBuckets<int> buckets{1, seconds{1}, 3};
  for (int party = 0; party < 3; ++party)
    EXPECT_FALSE(buckets.take(party, 1, start));
  EXPECT_TRUE(buckets.take(0, 1, start)) << "used again";
  EXPECT_FALSE(buckets.take(3, 1, start));
  EXPECT_EQ(buckets.size(), 3U);
  EXPECT_TRUE(buckets.take(0, 1, start)) << "kept";
  EXPECT_FALSE(buckets.take(1, 1, start)) << "forgotten: used longest ago";
}

TEST(TokenBuckets, ZeroIsNoLimit) {
  TokenBuckets<int> buckets{0, seconds{1}, 3};
  for (int i = 0; i < 1000; ++i)
    EXPECT_FALSE(buckets.take(i, 1'000'000, start));
  EXPECT_EQ(buckets.size(), 0U);
}

}  // namespace
}  // namespace annals::server
