#include <chrono>

#include "tests/contract/log/log_fixture.hpp"

namespace annals::test {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::years;

/// What the time in a log does when the clock of the machine jumps.
class ClockContract : public LogContract {
 protected:
  /// Appends an event of its own and gives the time it got.
  Timestamp appended(EventLog& log) {
    const auto answer = log.append(log.local_admin(), simple_event("order.paid", "order-1"));
    EXPECT_TRUE(answer) << (answer ? "" : answer.error().detail);
    return log.find(answer->events.front().seq)->header.recorded_at;
  }
};

TEST_P(ClockContract, BackByAnHourTimeStandsStillAndEventsGoOn) {
  const auto log = open_log();
  const Timestamp start = clock_->now();
  EXPECT_EQ(appended(*log), start);
  clock_->advance(-hours{1});
  EXPECT_EQ(appended(*log), start);
  EXPECT_EQ(appended(*log), start) << "seq alone tells which was first";
  clock_->advance(hours{1} + microseconds{1});
  EXPECT_EQ(appended(*log), start + microseconds{1});
  expect_verified(*log, 4);
}

TEST_P(ClockContract, TenYearsAheadAreKeptWhenTheClockIsRightAgain) {
  const auto log = open_log();
  const Timestamp start = clock_->now();
  EXPECT_EQ(appended(*log), start);
  clock_->advance(years{10});
  EXPECT_EQ(appended(*log), start + years{10});
  clock_->set(start + hours{1});
  EXPECT_EQ(appended(*log), start + years{10});
  expect_verified(*log, 3);
}

TEST_P(ClockContract, ARestartDoesNotMakeItGoBack) {
  const Timestamp start = clock_->now();
  {
    const auto log = open_log();
    EXPECT_EQ(appended(*log), start);
  }
  clock_->advance(-hours{1});
  const auto log = open_log();
  EXPECT_EQ(appended(*log), start);
  auto unit = log->begin(log->local_admin());
  ASSERT_TRUE(unit);
  ASSERT_TRUE(unit->append(simple_event()));
  ASSERT_TRUE(unit->commit());
  EXPECT_EQ(log->find(3)->header.recorded_at, start) << "units of work neither";
  expect_verified(*log, 3);
}

INSTANTIATE_TEST_SUITE_P(Stores, ClockContract, testing::Values(memory_backend(), sqlite_backend()),
                         name_of_test);

}  // namespace
}  // namespace annals::test
