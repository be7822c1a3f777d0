// Each write, sync and truncate of a workload fails in turn, once or for good, and the log must not
// have told anybody anything wrong: neither at once, nor after the program ended in whatever way.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>

#include "testing/fault_vfs.hpp"
#include "testing/seed.hpp"
#include "tests/fault/fault_case.hpp"

namespace annals::test {
namespace {

using End = FaultCase::End;
using Failure = FaultVfs::Failure;
using Operation = FaultVfs::Operation;

/// How the log is left and looked at after a fault: closed or killed, with an append before or not.
constexpr std::size_t ways = 4;

/// Up to here each operation fails once for each way. Of more each goes one way, in turn, so that
/// the suite stays below a minute; a soak goes all.
constexpr std::size_t most_in_all_ways = 60;

struct Fault {
  const char* name;
  Operation operation;
  Failure failure;
  bool for_good;
};

std::ostream& operator<<(std::ostream& out, const Fault& fault) {
  return out << fault.name;
}

class FailingOperations : public testing::TestWithParam<Fault> {
 protected:
  /// How many operations of the kind a workload has when nothing fails.
  std::uint64_t operations() {
    FaultCase undisturbed(first_, seed());
    if (!undisturbed.open()) return 0;
    const auto before = undisturbed.vfs().count(GetParam().operation);
    undisturbed.workload().run();
    EXPECT_THAT(undisturbed.workload().errors(), testing::IsEmpty());
    return undisturbed.vfs().count(GetParam().operation) - before;
  }

  /// What a call may answer while the disk fails.
  static std::set<std::string> allowed() {
    if (GetParam().failure == Failure::full) return {"store_full"};
    return {"store_unavailable", "commit_unknown"};
  }

  /// The log goes on without a restart.
  static void expect_goes_on(FaultCase& fault) {
    fault.expect_appends();
    fault.expect_sound();
  }

  /// The log is left as `end` says, with or without an append after the fault, and found whole.
  static void expect_survives(FaultCase& fault, End end, bool append_first) {
    if (fault.workload().log() == nullptr && !fault.open()) return;
    if (append_first) expect_goes_on(fault);
    fault.leave(end);
    if (!fault.open()) return;
    fault.expect_sound();
    const auto repeated = fault.workload().repeat_unacknowledged();
    EXPECT_TRUE(repeated) << repeated.error().detail;
    fault.expect_appends();
    fault.leave(End::power);
    if (!fault.open()) return;
    fault.expect_sound();
  }

  void run_case(std::uint64_t nth, End end, bool append_first) {
    const Fault& param = GetParam();
    FaultCase fault(first_, seed());
    if (!fault.open()) return;
    fault.vfs().fail(param.operation, nth, param.failure, param.for_good);
    fault.workload().run();
    hits_ += fault.vfs().failed() == 0 ? 0 : 1;
    if (auto* log = fault.workload().log(); log != nullptr && param.operation == Operation::write) {
      EXPECT_TRUE(log->read({})) << "reads go on";
    }
    fault.vfs().heal();
    EXPECT_THAT(fault.workload().errors(), testing::IsSubsetOf(allowed()));
    expect_survives(fault, end, append_first);
  }

  FirstLog first_{seed() + 1};
  std::size_t hits_ = 0;
};

TEST_P(FailingOperations, TellNobodyAnythingWrong) {
  const auto count = operations();
  ASSERT_GT(count, 0U);
  std::size_t cases = 0;
  const bool all_ways = count <= most_in_all_ways || std::getenv("ANNALS_SOAK") != nullptr;
  for (std::uint64_t nth = 1; nth <= count; ++nth) {
    for (std::size_t way = 0; way < ways; ++way) {
      if (!all_ways && way != (nth + seed()) % ways) continue;
      SCOPED_TRACE(std::string(GetParam().name) + ": " + std::to_string(nth) + " of " +
                   std::to_string(count) + ", way " + std::to_string(way));
      run_case(nth, way % 2 == 0 ? End::closed : End::killed, way < 2);
      ++cases;
    }
  }
  std::cout << "[   cases  ] " << cases << " of " << count << " operations, " << hits_
            << " failed\n";
  // Which checkpoints there are is not in the seed: the committer makes one when the log is idle,
  // and none is made while it is at work.
  EXPECT_GE(hits_ * 2, cases) << "faults that hit nothing show nothing";
}

INSTANTIATE_TEST_SUITE_P(
    , FailingOperations,
    testing::Values(Fault{"WriteOnce", Operation::write, Failure::io, false},
                    Fault{"WriteForGood", Operation::write, Failure::io, true},
                    Fault{"FullOnce", Operation::write, Failure::full, false},
                    Fault{"FullForGood", Operation::write, Failure::full, true},
                    Fault{"SyncOnce", Operation::sync, Failure::io, false},
                    Fault{"SyncForGood", Operation::sync, Failure::io, true},
                    Fault{"TruncateOnce", Operation::truncate, Failure::io, false},
                    Fault{"TruncateForGood", Operation::truncate, Failure::io, true}),
    testing::PrintToStringParamName());

}  // namespace
}  // namespace annals::test
