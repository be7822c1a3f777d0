#include "client/backoff.hpp"

#include <gtest/gtest.h>

namespace annals::client {
namespace {

using std::chrono::milliseconds;

TEST(Backoff, DoublesUpToTheLastStep) {
  Backoff backoff(milliseconds{100}, milliseconds{1000});
  for (const int step : {100, 200, 400, 800, 1000, 1000}) {
    const auto wait = backoff.next(milliseconds{0});
    EXPECT_GE(wait, milliseconds{step / 2});
    EXPECT_LE(wait, milliseconds{step});
  }
  backoff.reset();
  EXPECT_LE(backoff.next(milliseconds{0}), milliseconds{100});
}

TEST(Backoff, WaitsAtLeastAsLongAsAsked) {
  Backoff backoff(milliseconds{100}, milliseconds{1000});
  EXPECT_EQ(backoff.next(milliseconds{5000}), milliseconds{5000});
}

TEST(Backoff, TheFirstStepIsNotAboveTheLast) {
  Backoff backoff(milliseconds{500}, milliseconds{10});
  EXPECT_LE(backoff.next(milliseconds{0}), milliseconds{10});
}

}  // namespace
}  // namespace annals::client
