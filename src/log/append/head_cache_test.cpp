#include "log/append/head_cache.hpp"

#include <gtest/gtest.h>

#include <string>

namespace annals::log {
namespace {

StreamHead head(const std::string& stream, std::uint64_t version) {
  return {stream, version, Digest{static_cast<std::uint8_t>(version)}};
}

TEST(HeadCache, RemembersTheLatestHead) {
  HeadCache cache(2);
  EXPECT_FALSE(cache.find("a"));
  cache.put(head("a", 1));
  cache.put(head("a", 2));
  EXPECT_EQ(cache.find("a"), head("a", 2));
  EXPECT_EQ(cache.size(), 1U);
}

TEST(HeadCache, LeastRecentlyAppendedGoesFirst) {
  HeadCache cache(2);
  cache.put(head("a", 1));
  cache.put(head("b", 1));
  // Looking a stream up does not keep it; appending to it does.
  EXPECT_TRUE(cache.find("a"));
  cache.put(head("b", 2));
  cache.put(head("c", 1));
  EXPECT_FALSE(cache.find("a"));
  EXPECT_EQ(cache.find("b"), head("b", 2));
  EXPECT_EQ(cache.find("c"), head("c", 1));
}

TEST(HeadCache, ClearAndZeroCapacityKeepNothing) {
  HeadCache cache(2);
  cache.put(head("a", 1));
  cache.clear();
  EXPECT_FALSE(cache.find("a"));
  HeadCache none(0);
  none.put(head("a", 1));
  EXPECT_FALSE(none.find("a"));
}

}  // namespace
}  // namespace annals::log
