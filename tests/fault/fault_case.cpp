#include "tests/fault/fault_case.hpp"

#include <gmock/gmock.h>

#include "tests/fault/audit.hpp"

namespace annals::test {

namespace {

constexpr auto log_name = "log.db";
constexpr auto first_journal = "first.journal";

}  // namespace

FirstLog::FirstLog(std::uint64_t seed) {
  Workload workload(dir_ / log_name, dir_ / first_journal, seed);
  workload.prepare();
}

FaultCase::FaultCase(const FirstLog& first, std::uint64_t seed)
    : journals_{first.folder() / first_journal, dir_ / "journal"} {
  std::filesystem::copy_file(first.folder() / log_name, dir_ / log_name);
  workload_ = std::make_unique<Workload>(dir_ / log_name, journals_.back(), seed);
}

bool FaultCase::open() {
  const auto opened = workload_->open();
  EXPECT_TRUE(opened) << opened.error().detail;
  return opened.has_value();
}

void FaultCase::leave(End end, std::uint64_t seed) {
  if (end != End::closed) vfs_.cut_power();
  workload_->close();
  if (end == End::closed) return;
  vfs_.restore(end == End::killed  ? Survivors::all
               : end == End::power ? Survivors::synced
                                   : Survivors::torn,
               seed);
}

void FaultCase::expect_sound() {
  EXPECT_THAT(audit(*workload_->log(), journals_, workload_->changes()), testing::IsEmpty());
}

void FaultCase::expect_appends() {
  const auto appended = workload_->append_one();
  EXPECT_TRUE(appended) << to_string(appended.error().code) << ": " << appended.error().detail;
}

}  // namespace annals::test
