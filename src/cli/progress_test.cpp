#include "cli/progress.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace annals::cli {
namespace {

using std::chrono::milliseconds;

TEST(Progress, SaysRateAndTimeLeft) {
  EXPECT_EQ(progress_text(12'000, 100'000, milliseconds(300)),
            "12,000 of 100,000  12 %  40,000/s  2s left");
  EXPECT_EQ(progress_text(100, 100, milliseconds(1000)), "100 of 100  100 %  100/s");
  EXPECT_EQ(progress_text(1, 1'000, milliseconds(1000)), "1 of 1,000  0 %  1/s  16m 39s left");
  EXPECT_EQ(progress_text(1, 10'000, milliseconds(1000)), "1 of 10,000  0 %  1/s  2h 46m left");
}

TEST(Progress, NothingKnownYet) {
  EXPECT_EQ(progress_text(0, 100, milliseconds(500)), "0 of 100  0 %");
  EXPECT_EQ(progress_text(5, 100, milliseconds(0)), "5 of 100  5 %");
  EXPECT_EQ(progress_text(0, 0, milliseconds(5)), "0 of 0");
}

TEST(Progress, SilentWithoutATerminal) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{in, out, err};
  {
    Progress progress(streams);
    progress.update(1, 2);
  }
  EXPECT_EQ(err.str(), "");
}

}  // namespace
}  // namespace annals::cli
