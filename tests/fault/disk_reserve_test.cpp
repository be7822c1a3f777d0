// A real file system that fills up while appends go on: the reserve is kept for what must be
// possible then.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <system_error>

#include "annals/open.hpp"
#include "testing/small_file_system.hpp"

namespace annals::test {
namespace {

constexpr std::size_t disk_bytes = std::size_t{8} << 20U;
constexpr std::size_t reserve = std::size_t{3} << 20U;

class DiskReserve : public testing::Test {
 protected:
  void SetUp() override {
    try {
      disk_ = std::make_unique<SmallFileSystem>(disk_bytes);
    } catch (const std::system_error& error) {
      GTEST_SKIP() << error.what() << "; this test needs the right to mount";
    }
    auto opened =
        open("sqlite:" + (disk_->path() / "log.db").string(), {.sqlite_disk_reserve = reserve});
    ASSERT_TRUE(opened) << opened.error().detail;
    log_ = *std::move(opened);
  }

  [[nodiscard]] std::uint64_t available() const {
    return std::filesystem::space(disk_->path()).available;
  }

  Result<AppendResult> append() {
    NewEvent event;
    event.type = "disk.filled";
    event.payload = R"({"text":")" + std::string(40'000, 'x') + R"("})";
    return log_->append(log_->local_admin(), std::move(event));
  }

  /// Appends until it is refused; gives how many were taken.
  std::uint64_t append_until_refused() {
    for (;;) {
      const auto appended = append();
      if (appended) continue;
      EXPECT_EQ(appended.error().code, ErrorCode::store_full);
      EXPECT_NE(appended.error().detail.find("sqlite.disk_reserve"), std::string::npos);
      return log_->state()->event_seq;
    }
  }

  void expect_verified(std::uint64_t events) {
    const auto report = log_->verify({});
    ASSERT_TRUE(report) << report.error().detail;
    EXPECT_TRUE(report->clean());
    EXPECT_EQ(report->events, events);
  }

  std::unique_ptr<SmallFileSystem> disk_;
  std::unique_ptr<EventLog> log_;
};

TEST_F(DiskReserve, IsLeftForAdministrationAndAppendsGoOnWithSpace) {
  const auto admin = log_->local_admin();
  const auto taken = append_until_refused();
  EXPECT_GT(taken, 10U);
  EXPECT_GT(available(), reserve / 2) << "one group may reach into it, no more";

  ASSERT_TRUE(log_->create_key(admin, {"alex", {"*"}, {ReadGrant::all()}, {}, {}, {}}));
  ASSERT_TRUE(log_->revoke_key(admin, "alex"));
  ASSERT_EQ(log_->freeze(admin, true), true);
  ASSERT_EQ(log_->freeze(admin, false), true);
  EXPECT_EQ(append().error().code, ErrorCode::store_full);
  expect_verified(taken + 2);

  // Space that somebody else took, and gives back.
  disk_->fill(0);
  EXPECT_EQ(append().error().code, ErrorCode::store_full);
  EXPECT_EQ(log_->read({.limit = 1000})->records.size(), taken + 2);
  disk_->free();
}

TEST_F(DiskReserve, IsAskedForAgainWithEveryAppend) {
  constexpr std::size_t half_of_reserve = reserve / 2 / SmallFileSystem::page;
  ASSERT_TRUE(append());
  disk_->fill(half_of_reserve);
  EXPECT_EQ(append().error().code, ErrorCode::store_full);
  disk_->free();
  EXPECT_TRUE(append()) << "without a restart";
  expect_verified(2);
}

}  // namespace
}  // namespace annals::test
