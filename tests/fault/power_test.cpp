// The power goes at each sync of a workload, before or after it, and what was not synced is lost or
// torn.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>

#include "testing/fault_vfs.hpp"
#include "testing/seed.hpp"
#include "testing/temp_dir.hpp"
#include "tests/fault/audit.hpp"
#include "tests/fault/fault_case.hpp"

namespace annals::test {
namespace {

using Moment = FaultVfs::Moment;
using Operation = FaultVfs::Operation;

/// Seeds for what is torn at each place.
constexpr std::uint64_t tears = 3;

class PowerCutAt : public testing::TestWithParam<Moment> {};

TEST_P(PowerCutAt, EachSyncOfAWorkloadLeavesASoundLog) {
  const FirstLog first(seed() + 1);
  for (std::uint64_t nth = 1;; ++nth) {
    // 0: lost; after that torn in several ways.
    for (std::uint64_t tear = 0; tear <= tears; ++tear) {
      SCOPED_TRACE("sync " + std::to_string(nth) + ", tear " + std::to_string(tear));
      FaultCase fault(first, seed());
      ASSERT_TRUE(fault.open());
      fault.vfs().cut_power(nth, GetParam());
      fault.workload().run();
      const bool hit = !fault.vfs().has_power();
      const auto end = tear == 0 ? FaultCase::End::power : FaultCase::End::torn;
      fault.leave(end, seed() + tear);
      // Once more while the log is opened and what is left of it is mended.
      fault.vfs().cut_power(1, GetParam());
      (void)fault.workload().open();
      fault.leave(end, seed() + tear + 1);
      ASSERT_TRUE(fault.open());
      fault.expect_sound();
      fault.expect_appends();
      fault.expect_sound();
      if (HasFailure()) return;
      if (!hit) {
        std::cout << "[   cases  ] " << nth - 1 << " syncs\n";
        EXPECT_GT(nth, 10U);
        return;
      }
      EXPECT_THAT(fault.workload().errors(),
                  testing::IsSubsetOf({"store_unavailable", "commit_unknown"}));
    }
  }
}

TEST_P(PowerCutAt, EachSyncOfMakingALogLeavesItWholeOrNotThere) {
  for (std::uint64_t nth = 1;; ++nth) {
    for (std::uint64_t tear = 0; tear <= tears; ++tear) {
      SCOPED_TRACE("sync " + std::to_string(nth) + ", tear " + std::to_string(tear));
      FaultVfs vfs(FaultVfs::Disk::simulated);
      const TempDir dir;
      Workload workload(dir / "log.db", dir / "journal", seed());
      vfs.cut_power(nth, GetParam());
      (void)workload.open();
      const bool hit = !vfs.has_power();
      vfs.cut_power();
      workload.close();
      vfs.restore(tear == 0 ? Survivors::synced : Survivors::torn, seed() + tear);
      workload.prepare();
      EXPECT_THAT(audit(*workload.log(), {dir / "journal"}, workload.changes()),
                  testing::IsEmpty());
      if (HasFailure()) return;
      if (!hit) {
        EXPECT_GT(nth, 2U);
        return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, PowerCutAt, testing::Values(Moment::before, Moment::after),
                         [](const auto& tested) {
                           return tested.param == Moment::before ? "BeforeIt" : "AfterIt";
                         });

}  // namespace
}  // namespace annals::test
