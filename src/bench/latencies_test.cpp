#include "bench/latencies.hpp"

#include <gtest/gtest.h>

namespace annals::bench {
namespace {

using std::chrono::milliseconds;

TEST(Latencies, AreZeroWithoutAnyRequest) {
  EXPECT_EQ(Latencies{}.percentiles().longest_ms, 0);
}

TEST(Latencies, TellWhatSoManyRequestsTookAtMost) {
  Latencies latencies;
  for (int i = 100; i >= 1; --i)
    latencies.add(milliseconds{i});
  const auto percentiles = latencies.percentiles();
  EXPECT_DOUBLE_EQ(percentiles.p50_ms, 51);
  EXPECT_DOUBLE_EQ(percentiles.p95_ms, 96);
  EXPECT_DOUBLE_EQ(percentiles.p99_ms, 100);
  EXPECT_DOUBLE_EQ(percentiles.longest_ms, 100);
}

}  // namespace
}  // namespace annals::bench
