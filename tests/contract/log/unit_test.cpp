#include <gmock/gmock.h>

#include <latch>
#include <thread>

#include "core/capability_mint.hpp"
#include "tests/contract/log/log_fixture.hpp"

namespace annals::test {
namespace {

class UnitContract : public LogContract {};

TEST_P(UnitContract, UnitsGetTheirNumbersAtCommit) {
  const auto log = open_log();
  auto one = log->begin(log->local_admin());
  ASSERT_TRUE(one) << one.error().detail;
  ASSERT_TRUE(one->append(simple_event("order.paid", "order-1")));
  const auto first = one->commit();
  ASSERT_TRUE(first) << first.error().detail;
  ASSERT_EQ(first->events.size(), 1U);
  EXPECT_EQ(first->events[0].seq, 1U);

  auto three = log->begin(log->local_admin());
  ASSERT_TRUE(three);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(three->append(simple_event("order.paid", "order-1")));
  const auto second = three->commit();
  ASSERT_TRUE(second) << second.error().detail;
  ASSERT_EQ(second->events.size(), 3U);
  for (std::uint64_t i = 0; i < 3; ++i)
    EXPECT_EQ(second->events[i].seq, 2 + i);
  EXPECT_EQ(second->receipt.head, 4U);
  expect_verified(*log, 4);
}

TEST_P(UnitContract, EventsCarryThePermissionVersionOfTheCommit) {
  const auto log = open_log();
  ASSERT_TRUE(
      log->create_key(log->local_admin(), {"alex", {"*"}, {ReadGrant::own()}, std::nullopt, {}}));
  auto unit = log->begin(log->local_admin());
  ASSERT_TRUE(unit->append(simple_event()));
  ASSERT_TRUE(unit->commit());
  EXPECT_EQ(log->find(2)->header.permission_version, 1U);
}

TEST_P(UnitContract, UnitWithoutEventsLeavesTheSequenceAndWakesNobody) {
  const auto probe = std::make_shared<StoreProbe>();
  const auto log = open_probed(probe);
  const auto locks_before = probe->state_locks.load();
  auto unit = log->begin(log->local_admin());
  ASSERT_TRUE(unit);
  const auto result = unit->commit();
  ASSERT_TRUE(result) << result.error().detail;
  EXPECT_TRUE(result->events.empty());
  EXPECT_EQ(result->receipt.head, 0U);
  EXPECT_EQ(log->state()->event_seq, 0U);
  EXPECT_EQ(probe->state_locks, locks_before);
  EXPECT_EQ(probe->appends, 0U);
  EXPECT_EQ(log->wait_after(0, std::chrono::milliseconds{0}), 0U);
}

TEST_P(UnitContract, RolledBackUnitsLeaveNoHole) {
  {
    const auto log = open_log();
    for (int i = 0; i < 50; ++i) {
      auto unit = log->begin(log->local_admin());
      ASSERT_TRUE(unit);
      ASSERT_TRUE(unit->append(simple_event("order.paid", "order-1")));
      if (i % 2 == 0) unit->rollback();
    }
    EXPECT_EQ(log->state()->event_seq, 0U);
  }
  const auto log = open_log();
  const auto result = log->append(log->local_admin(), simple_event("order.paid", "order-1"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->events.front().seq, 1U);
  EXPECT_EQ(result->events.front().stream_seq, 1U);
}

TEST_P(UnitContract, AppendOnAThreadWithAnOpenUnitIsRefusedAtOnce) {
  const auto log = open_log();
  {
    auto unit = log->begin(log->local_admin());
    ASSERT_TRUE(unit);
    const auto append = log->append(log->local_admin(), simple_event());
    ASSERT_FALSE(append);
    EXPECT_EQ(append.error().code, ErrorCode::unit_open);
    EXPECT_EQ(log->flush().error().code, ErrorCode::unit_open);
    const auto second = log->begin(log->local_admin());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::unit_open);
  }
  EXPECT_TRUE(log->append(log->local_admin(), simple_event()));
}

TEST_P(UnitContract, AppendsOfOtherThreadsWaitForTheUnit) {
  const auto log = open_log();
  auto unit = log->begin(log->local_admin());
  ASSERT_TRUE(unit);
  ASSERT_TRUE(unit->append(simple_event("unit.done")));
  std::latch started(1);
  std::thread other([&] {
    started.count_down();
    EXPECT_TRUE(log->append(log->local_admin(), simple_event("other.done")));
  });
  started.wait();
  ASSERT_TRUE(unit->commit());
  other.join();
  EXPECT_EQ(log->find(1)->header.type, "unit.done");
  EXPECT_EQ(log->find(2)->header.type, "other.done");
}

TEST_P(UnitContract, RefusedTypeAndInvalidEventLeaveTheUnitUsable) {
  const auto log = open_log();
  const auto capability = CapabilityMint::mint(uuid_of(1), {"order.*"}, clock_->now()).value();
  auto unit = log->begin(capability);
  ASSERT_TRUE(unit);
  EXPECT_EQ(unit->append(simple_event("query.started")).error().code, ErrorCode::not_allowed);
  NewEvent broken = simple_event();
  broken.payload = "[]";
  EXPECT_EQ(unit->append(broken).error().code, ErrorCode::invalid_event);
  ASSERT_TRUE(unit->append(simple_event("order.paid")));
  EXPECT_TRUE(unit->commit());
  expect_verified(*log, 1);
}

TEST_P(UnitContract, ExpectedVersionsAreCheckedInTheSyncStep) {
  const auto log = open_log();
  ASSERT_TRUE(log->append(log->local_admin(), simple_event("order.paid", "order-1")));
  auto unit = log->begin(log->local_admin());
  ASSERT_TRUE(unit->append(simple_event("order.paid", "order-1")));
  ASSERT_TRUE(unit->expect("order-1", {ExpectedVersion::Kind::exactly, 0}));
  const auto result = unit->commit();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::version_conflict);
  expect_verified(*log, 1);
}

TEST_P(UnitContract, RepeatedUnitGivesTheFirstResult) {
  const auto log = open_log();
  const auto run = [&] {
    auto unit = log->begin(log->local_admin());
    NewEvent event = simple_event("order.paid", "order-1");
    event.id = uuid_of(1);
    EXPECT_TRUE(unit->append(event));
    return unit->commit();
  };
  const auto first = run();
  const auto again = run();
  ASSERT_TRUE(first && again);
  EXPECT_TRUE(again->duplicate);
  EXPECT_EQ(again->receipt, first->receipt);
  expect_verified(*log, 1);
}

TEST_P(UnitContract, UnitThatLastsTooLongIsRolledBack) {
  LogOptions options;
  options.unit.max_duration = std::chrono::milliseconds{50};
  const auto log = open_log(options);
  auto unit = log->begin(log->local_admin());
  ASSERT_TRUE(unit);
  ASSERT_TRUE(unit->append(simple_event("unit.done")));
  // Another thread's append gets through although nobody touches the unit any more.
  std::thread other([&] {
    const auto result = log->append(log->local_admin(), simple_event("other.done"));
    EXPECT_TRUE(result) << result.error().detail;
  });
  other.join();
  const auto result = unit->commit();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::busy);
  EXPECT_EQ(log->find(1)->header.type, "other.done");
  expect_verified(*log, 1);
}

TEST_P(UnitContract, UnitIsCommittedOnceAndClosedAfterwards) {
  const auto log = open_log();
  auto unit = log->begin(log->local_admin());
  ASSERT_TRUE(unit->append(simple_event()));
  ASSERT_TRUE(unit->commit());
  EXPECT_FALSE(unit->commit());
  EXPECT_FALSE(unit->append(simple_event()));
  EXPECT_TRUE(log->append(log->local_admin(), simple_event()));
  expect_verified(*log, 2);
}

/// Units whose log has hooks.
class UnitHookContract : public LogContract {
 protected:
  std::unique_ptr<EventLog> open_with(
      const std::vector<std::tuple<UnitPhase, std::string, UnitHook>>& hooks,
      LogOptions options = {}) {
    auto log = std::make_unique<EventLog>(make_store(), std::move(options), clock_);
    for (const auto& [phase, name, hook] : hooks)
      log->add_hook(phase, name, hook);
    EXPECT_TRUE(log->open());
    return log;
  }
};

TEST_P(UnitHookContract, RegistrationIsListedInTheOrderInWhichItRuns) {
  const auto nothing = [](UnitOfWork&) { return Result<void>{}; };
  const auto log = open_with({{UnitPhase::audit, "app.audit", nothing},
                              {UnitPhase::rights_check, "app.rights", nothing},
                              {UnitPhase::sync, "app.sync", nothing},
                              {UnitPhase::rights_check, "app.more_rights", nothing}});
  EXPECT_THAT(log->hooks(),
              testing::ElementsAre("rights_check app.rights", "rights_check app.more_rights",
                                   "sync app.sync", "sync annals.sequence", "audit app.audit"));
}

TEST_P(UnitHookContract, PhasesRunInOrderAndOnlyTheFirstTwoMayAppend) {
  std::vector<std::string> ran;
  std::vector<std::uint64_t> audited;
  const auto note = [&](UnitOfWork& unit) -> Result<void> {
    ran.emplace_back(to_string(unit.phase()));
    const auto appended = unit.append(simple_event("hook.ran"));
    const bool may = unit.phase() == UnitPhase::rights_check;
    EXPECT_EQ(appended.has_value(), may) << to_string(unit.phase());
    if (!may) {
      EXPECT_EQ(appended.error().code, ErrorCode::invalid_request);
    }
    for (const auto& event : unit.appended())
      audited.push_back(event.seq);
    return {};
  };
  const auto log = open_with({{UnitPhase::audit, "a", note},
                              {UnitPhase::sync, "s", note},
                              {UnitPhase::rights_check, "r", note}});
  auto unit = log->begin(log->local_admin());
  ASSERT_TRUE(unit->append(simple_event("unit.done")));
  ASSERT_TRUE(unit->commit());
  EXPECT_THAT(ran, testing::ElementsAre("rights_check", "sync", "audit"));
  EXPECT_THAT(audited, testing::ElementsAre(1, 2)) << "audit hooks see the places";
  expect_verified(*log, 2);
}

TEST_P(UnitHookContract, HookThatFailsLeavesNothing) {
  std::uint64_t seq = 0;
  for (const UnitPhase phase : {UnitPhase::rights_check, UnitPhase::sync, UnitPhase::audit}) {
    const auto log = open_with({{phase, "app.refuses", [](UnitOfWork&) -> Result<void> {
                                   return fail(ErrorCode::not_allowed, "no");
                                 }}});
    auto unit = log->begin(log->local_admin());
    ASSERT_TRUE(unit->append(simple_event("order.paid", "order-1")));
    const auto result = unit->commit();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().detail, "no");
    EXPECT_EQ(log->state()->event_seq, seq);
    EXPECT_FALSE(log->stream("order-1"));
    const auto next = log->append(log->local_admin(), simple_event());
    EXPECT_EQ(next->events.front().seq, ++seq) << to_string(phase);
  }
}

TEST_P(UnitHookContract, SlowAuditHookFailsTheUnit) {
  LogOptions options;
  options.unit.audit_timeout = std::chrono::milliseconds{0};
  const auto log = open_with({{UnitPhase::audit, "app.slow",
                               [](UnitOfWork&) -> Result<void> {
                                 const auto until = std::chrono::steady_clock::now() +
                                                    std::chrono::milliseconds{2};
                                 while (std::chrono::steady_clock::now() < until)
                                   std::this_thread::yield();
                                 return {};
                               }}},
                             options);
  auto unit = log->begin(log->local_admin());
  ASSERT_TRUE(unit->append(simple_event()));
  EXPECT_EQ(unit->commit().error().code, ErrorCode::busy);
  EXPECT_EQ(log->state()->event_seq, 0U);
}

INSTANTIATE_TEST_SUITE_P(Stores, UnitContract, testing::Values(memory_backend(), sqlite_backend()),
                         name_of_test);
INSTANTIATE_TEST_SUITE_P(Stores, UnitHookContract,
                         testing::Values(memory_backend(), sqlite_backend()), name_of_test);

}  // namespace
}  // namespace annals::test
