#include "log/unit/open_units.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace annals::log {
namespace {

TEST(OpenUnits, MarkBelongsToThreadAndOwnerAndEndsWithItsLastHolder) {
  const int log = 0;
  const int other_log = 0;
  EXPECT_FALSE(unit_open_on_this_thread(&log));
  auto mark = mark_unit_open(&log);
  EXPECT_TRUE(unit_open_on_this_thread(&log));
  EXPECT_FALSE(unit_open_on_this_thread(&other_log));
  std::thread([&] {
    EXPECT_FALSE(unit_open_on_this_thread(&log));
    mark.reset();
  }).join();
  EXPECT_FALSE(unit_open_on_this_thread(&log)) << "released on another thread";
}

}  // namespace
}  // namespace annals::log
