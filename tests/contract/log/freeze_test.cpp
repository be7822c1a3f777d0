#include <thread>

#include "core/capability_mint.hpp"
#include "tests/contract/log/log_fixture.hpp"

namespace annals::test {
namespace {

class FreezeContract : public LogContract {};

TEST_P(FreezeContract, StopsAppendsOfEveryKindAndNothingElse) {
  const auto log = open_log();
  const auto admin = log->local_admin();
  ASSERT_TRUE(log->append(admin, simple_event()));
  EXPECT_EQ(log->freeze(admin, true), true);
  EXPECT_EQ(log->freeze(admin, true), false) << "it was frozen already";
  const auto refused = log->append(admin, simple_event());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::frozen);
  EXPECT_TRUE(refused.error().retry_after);
  auto unit = log->begin(admin);
  ASSERT_TRUE(unit);
  ASSERT_TRUE(unit->append(simple_event()));
  EXPECT_EQ(unit->commit().error().code, ErrorCode::frozen);
  EXPECT_EQ(log->create_key(admin, {"alex", {"*"}, {ReadGrant::all()}, {}, {}, {}}).error().code,
            ErrorCode::frozen);
  EXPECT_EQ(log->read({})->records.size(), 1U);
  expect_verified(*log, 1);
  EXPECT_EQ(log->freeze(admin, false), true);
  ASSERT_TRUE(log->append(admin, simple_event()));
  expect_verified(*log, 2);
}

TEST_P(FreezeContract, QueuedEventsWaitForItsEnd) {
  const auto log = open_log();
  const auto admin = log->local_admin();
  ASSERT_TRUE(log->freeze(admin, true));
  const auto queued = log->enqueue(admin, {simple_event()});
  ASSERT_TRUE(queued);
  EXPECT_EQ(log->flush().error().code, ErrorCode::frozen);
  EXPECT_EQ(log->state()->event_seq, 0U);
  ASSERT_TRUE(log->freeze(admin, false));
  while (!log->flush())
    std::this_thread::yield();
  EXPECT_EQ(log->find(1)->header.id, queued->front());
}

TEST_P(FreezeContract, OutlivesTheProgramThatDidIt) {
  {
    const auto log = open_log();
    ASSERT_TRUE(log->freeze(log->local_admin(), true));
  }
  const auto log = open_log();
  EXPECT_EQ(log->append(log->local_admin(), simple_event()).error().code, ErrorCode::frozen);
}

TEST_P(FreezeContract, IsForTheLocalAdministrator) {
  const auto log = open_log();
  const auto other = CapabilityMint::mint(uuid_of(1), {"*"}, clock_->now()).value();
  EXPECT_EQ(log->freeze(other, true).error().code, ErrorCode::not_allowed);
  EXPECT_FALSE(log->state()->frozen);
}

INSTANTIATE_TEST_SUITE_P(Stores, FreezeContract,
                         testing::Values(memory_backend(), sqlite_backend()), name_of_test);

}  // namespace
}  // namespace annals::test
