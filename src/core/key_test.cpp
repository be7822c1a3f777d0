#include "annals/key.hpp"

#include <gtest/gtest.h>

namespace annals {
namespace {

TEST(Key, IsActiveUntilRevokedOrExpired) {
  using namespace std::chrono_literals;
  const Timestamp now{100s};
  Key key;
  EXPECT_TRUE(key.active(now));
  key.expires_at = now + 1us;
  EXPECT_TRUE(key.active(now));
  key.expires_at = now;
  EXPECT_FALSE(key.active(now)) << "the moment of expiry is too late";
  key.expires_at.reset();
  key.revoked_at = now;
  EXPECT_FALSE(key.active(now));
  EXPECT_FALSE(key.active(now - 1h)) << "a revoked key has no past";
}

}  // namespace
}  // namespace annals
