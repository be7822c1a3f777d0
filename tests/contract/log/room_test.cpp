#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "tests/contract/log/log_fixture.hpp"

namespace annals::test {
namespace {

/// What the log does while the store keeps the space that is left for something else.
class RoomContract : public LogContract {
 protected:
  void SetUp() override {
    probe_->before_room = [this]() -> Result<void> {
      if (full_) return fail(ErrorCode::store_full, "the reserve is reached");
      return {};
    };
    log_ = open_probed(probe_);
  }

  [[nodiscard]] WriteCapability admin() const { return log_->local_admin(); }

  std::atomic<bool> full_ = false;
  std::shared_ptr<StoreProbe> probe_ = std::make_shared<StoreProbe>();
  std::unique_ptr<EventLog> log_;
};

TEST_P(RoomContract, EventsAreRefusedAndRepeatsAreAnswered) {
  NewEvent known = simple_event();
  known.id = uuid_of(7);
  ASSERT_TRUE(log_->append(admin(), known));
  full_ = true;
  const auto refused = log_->append(admin(), simple_event());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::store_full);
  const auto repeated = log_->append(admin(), known);
  ASSERT_TRUE(repeated);
  EXPECT_TRUE(repeated->duplicate);
  EXPECT_EQ(log_->read({})->records.size(), 1U);
  full_ = false;
  EXPECT_EQ(log_->append(admin(), simple_event())->events.front().seq, 2U);
  expect_verified(*log_, 2);
}

TEST_P(RoomContract, AUnitWithEventsLeavesNothing) {
  full_ = true;
  auto unit = log_->begin(admin());
  ASSERT_TRUE(unit);
  ASSERT_TRUE(unit->append(simple_event()));
  EXPECT_EQ(unit->commit().error().code, ErrorCode::store_full);
  EXPECT_EQ(log_->state()->event_seq, 0U);
}

TEST_P(RoomContract, AdministrationGoesOn) {
  full_ = true;
  ASSERT_TRUE(log_->create_key(admin(), {"alex", {"*"}, {ReadGrant::all()}, {}, {}, {}}));
  ASSERT_TRUE(log_->revoke_key(admin(), "alex"));
  EXPECT_EQ(log_->freeze(admin(), true), true);
  EXPECT_EQ(log_->freeze(admin(), false), true);
  expect_verified(*log_, 2);
}

TEST_P(RoomContract, QueuedEventsWaitForSpace) {
  full_ = true;
  const auto queued = log_->enqueue(admin(), {simple_event()});
  ASSERT_TRUE(queued);
  EXPECT_EQ(log_->flush().error().code, ErrorCode::store_full);
  // Whoever only queues must not make the committer try without a pause.
  const auto begun = std::chrono::steady_clock::now();
  const auto tried = probe_->begin_writes.load();
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(log_->flush().error().code, ErrorCode::store_full);
  const auto pauses = (std::chrono::steady_clock::now() - begun) / std::chrono::milliseconds{20};
  EXPECT_LE(probe_->begin_writes, tried + 2 + static_cast<std::uint64_t>(pauses));
  full_ = false;
  while (!log_->flush())
    std::this_thread::yield();
  EXPECT_EQ(log_->find(1)->header.id, queued->front());
  expect_verified(*log_, 1);
}

INSTANTIATE_TEST_SUITE_P(Stores, RoomContract, testing::Values(memory_backend(), sqlite_backend()),
                         name_of_test);

}  // namespace
}  // namespace annals::test
