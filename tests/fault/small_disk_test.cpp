// A real file system with no, one, two, ... pages left under a workload, until they suffice: so it
// is full in every phase of every write once.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>

#include "testing/seed.hpp"
#include "testing/small_file_system.hpp"
#include "testing/temp_dir.hpp"
#include "tests/fault/audit.hpp"
#include "tests/fault/workload.hpp"

namespace annals::test {
namespace {

constexpr std::size_t disk_bytes = std::size_t{4} << 20U;
constexpr std::size_t disk_pages = disk_bytes / SmallFileSystem::page;

class SmallDisk : public testing::Test {
 protected:
  void SetUp() override {
    try {
      renew();
    } catch (const std::system_error& error) {
      GTEST_SKIP() << error.what() << "; this test needs the right to mount";
    }
  }

  /// A new disk, and a workload on it that has done nothing.
  void renew() {
    workload_.reset();
    disk_.reset();
    disk_ = std::make_unique<SmallFileSystem>(disk_bytes);
    journals_ = std::make_unique<TempDir>();
    workload_ =
        std::make_unique<Workload>(disk_->path() / "log.db", *journals_ / "journal", seed());
  }

  void expect_sound() {
    EXPECT_THAT(audit(*workload_->log(), {*journals_ / "journal"}, workload_->changes()),
                testing::IsEmpty());
  }

  void expect_appends() {
    const auto appended = workload_->append_one();
    EXPECT_TRUE(appended) << appended.error().detail;
  }

  /// There is space again: the log goes on as it is, and after a restart.
  void expect_goes_on() {
    disk_->free();
    if (workload_->log() == nullptr) {
      const auto opened = workload_->open();
      ASSERT_TRUE(opened) << opened.error().detail;
    }
    expect_appends();
    expect_sound();
    workload_->close();
    const auto opened = workload_->open();
    ASSERT_TRUE(opened) << opened.error().detail;
    expect_sound();
    const auto repeated = workload_->repeat_unacknowledged();
    EXPECT_TRUE(repeated) << repeated.error().detail;
    expect_sound();
  }

  /// Whether anything failed so far; only the full disk may be the reason.
  bool was_full() {
    EXPECT_THAT(workload_->errors(), testing::IsSubsetOf({"store_full"}));
    return !workload_->errors().empty();
  }

  std::unique_ptr<TempDir> journals_;
  std::unique_ptr<SmallFileSystem> disk_;
  std::unique_ptr<Workload> workload_;
};

TEST_F(SmallDisk, RefusesAppendsReadsOnAndRecovers) {
  for (std::size_t pages = 0; pages < disk_pages; ++pages) {
    SCOPED_TRACE(pages);
    renew();
    workload_->prepare();
    disk_->fill(pages);
    workload_->run();
    const bool full = was_full();
    if (auto* log = workload_->log()) {
      const auto page = log->read({});
      ASSERT_TRUE(page) << page.error().detail;
      EXPECT_GE(page->records.size(), 5U);
    }
    expect_goes_on();
    if (HasFailure()) return;
    if (!full) {
      std::cout << "[   cases  ] " << pages << " pages suffice\n";
      EXPECT_GT(pages, 20U);
      return;
    }
  }
  FAIL() << "the disk was always too small";
}

TEST_F(SmallDisk, OpensWhenThereIsSpaceAgain) {
  for (std::size_t pages = 0; pages < disk_pages; ++pages) {
    SCOPED_TRACE(pages);
    renew();
    workload_->prepare();
    workload_->close();
    disk_->fill(pages);
    const auto opened = workload_->open();
    const bool full = was_full();
    if (opened) {
      EXPECT_TRUE(workload_->log()->read({}));
    }
    expect_goes_on();
    if (HasFailure()) return;
    if (!full) {
      EXPECT_GT(pages, 0U);
      return;
    }
  }
  FAIL() << "the disk was always too small";
}

TEST_F(SmallDisk, MakesALogWholeOrNotAtAll) {
  for (std::size_t pages = 0; pages < disk_pages; ++pages) {
    SCOPED_TRACE(pages);
    renew();
    disk_->fill(pages);
    const auto opened = workload_->open();
    const bool full = was_full();
    disk_->free();
    if (!opened) {
      EXPECT_TRUE(std::filesystem::is_empty(disk_->path()) ||
                  std::filesystem::exists(disk_->path() / "log.db"))
          << "something half made is left";
    }
    workload_->close();
    workload_->prepare();
    expect_sound();
    if (HasFailure()) return;
    if (!full) {
      EXPECT_GT(pages, 10U);
      return;
    }
  }
  FAIL() << "the disk was always too small";
}

}  // namespace
}  // namespace annals::test
