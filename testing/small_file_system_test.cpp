#include "testing/small_file_system.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <system_error>

namespace annals::test {
namespace {

class SmallFileSystemTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      disk_ = std::make_unique<SmallFileSystem>(std::size_t{64} * SmallFileSystem::page);
    } catch (const std::system_error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  /// Whether a new file of so many pages finds room; it stays.
  bool write(const std::string& name, std::size_t pages) {
    std::ofstream file(disk_->path() / name, std::ios::binary);
    file << std::string(pages * SmallFileSystem::page, 'x') << std::flush;
    return file.good();
  }

  std::unique_ptr<SmallFileSystem> disk_;
};

TEST_F(SmallFileSystemTest, HasItsSize) {
  EXPECT_FALSE(write("a", 65));
}

TEST_F(SmallFileSystemTest, IsFilledUpToThePageAndEmptied) {
  disk_->fill(3);
  EXPECT_FALSE(write("a", 4));
  std::filesystem::remove(disk_->path() / "a");
  EXPECT_TRUE(write("b", 3));
  EXPECT_FALSE(write("c", 1));
  disk_->free();
  EXPECT_TRUE(write("d", 40));
}

TEST_F(SmallFileSystemTest, GoesWithEverythingInIt) {
  ASSERT_TRUE(write("a", 1));
  const auto path = disk_->path();
  disk_.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace annals::test
