#include "wire/exposition.hpp"

#include <gtest/gtest.h>

#include <array>

namespace annals::wire {
namespace {

TEST(Exposition, CountersAndGauges) {
  Exposition out;
  out.counter("a_total", "How many.");
  const std::array labels{MetricLabel{"type", "order.paid"}, MetricLabel{"x", "y"}};
  out.sample(std::uint64_t{3}, labels);
  out.sample(std::uint64_t{18446744073709551615U});
  out.gauge("b_seconds", "How long.");
  out.sample(0.25);
  EXPECT_EQ(out.text(),
            "# HELP a_total How many.\n# TYPE a_total counter\n"
            "a_total{type=\"order.paid\",x=\"y\"} 3\na_total 18446744073709551615\n"
            "# HELP b_seconds How long.\n# TYPE b_seconds gauge\nb_seconds 0.25\n");
}

TEST(Exposition, LabelsMayBeAnyText) {
  Exposition out;
  out.gauge("a", "A.");
  const MetricLabel label{"l", "a\\b\"c\nd"};
  out.sample(std::uint64_t{1}, {&label, 1});
  EXPECT_TRUE(out.text().ends_with("a{l=\"a\\\\b\\\"c\\nd\"} 1\n")) << out.text();
}

TEST(Exposition, BucketsOfAHistogramAreSummedUp) {
  Exposition out;
  const std::array<double, 2> bounds{0.001, 0.5};
  const std::array<std::uint64_t, 3> buckets{2, 0, 5};
  out.histogram("h_seconds", "Time.", {bounds, buckets, 12.5});
  EXPECT_EQ(out.text(),
            "# HELP h_seconds Time.\n# TYPE h_seconds histogram\n"
            "h_seconds_bucket{le=\"0.001\"} 2\nh_seconds_bucket{le=\"0.5\"} 2\n"
            "h_seconds_bucket{le=\"+Inf\"} 7\nh_seconds_sum 12.5\nh_seconds_count 7\n");
}

}  // namespace
}  // namespace annals::wire
