#include "testing/disk_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "testing/temp_dir.hpp"

namespace annals::test {
namespace {

/// A file of 'a', and the disk's view of it.
class DiskFileTest : public testing::Test {
 protected:
  static constexpr std::size_t size = 4096;

  /// Changes the file as a program does.
  void write(char letter, std::size_t count, std::size_t offset) {
    const std::string text(count, letter);
    std::fstream(path_, std::ios::in | std::ios::out | std::ios::binary)
        .seekp(static_cast<std::streamoff>(offset))
        .write(text.data(), static_cast<std::streamsize>(count));
    disk_.wrote(std::as_bytes(std::span(text)), offset);
  }
  void truncate(std::size_t to) {
    std::filesystem::resize_file(path_, to);
    disk_.truncated(to);
  }
  std::string settle(Survivors survivors, std::uint64_t seed = 1) {
    Random random(seed);
    disk_.settle(survivors, random);
    return content();
  }
  [[nodiscard]] std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return text.str();
  }
  static std::filesystem::path create(const std::filesystem::path& path) {
    std::ofstream(path, std::ios::binary) << std::string(size, 'a');
    return path;
  }

  TempDir dir_;
  std::filesystem::path path_ = create(dir_ / "file");
  DiskFile disk_{path_};
};

TEST_F(DiskFileTest, KeepsOnlyWhatWasSynced) {
  write('b', 1000, 100);
  disk_.synced();
  const auto synced = content();
  write('c', 1000, 500);
  write('d', 1000, size);
  ASSERT_NE(content(), synced);
  EXPECT_EQ(settle(Survivors::synced), synced);
}

TEST_F(DiskFileTest, KeepsEverythingWhenOnlyTheProgramIsGone) {
  write('b', 1000, 100);
  truncate(2000);
  const auto written = content();
  EXPECT_EQ(settle(Survivors::all), written);
  EXPECT_EQ(settle(Survivors::synced), written) << "it is on the disk now";
}

TEST_F(DiskFileTest, ASizeIsSyncedLikeBytes) {
  truncate(100);
  EXPECT_EQ(settle(Survivors::synced).size(), size);
  truncate(100);
  disk_.synced();
  truncate(0);
  EXPECT_EQ(settle(Survivors::synced), std::string(100, 'a'));
}

TEST_F(DiskFileTest, WhatAFailedSyncLostNoLaterOneBringsBack) {
  write('b', 512, 0);
  disk_.sync_failed();
  write('c', 512, 512);
  disk_.synced();
  const auto left = settle(Survivors::synced);
  EXPECT_EQ(left.substr(0, 512), std::string(512, 'a'));
  EXPECT_EQ(left.substr(512, 512), std::string(512, 'c'));
}

TEST_F(DiskFileTest, StaysWithTheFileThroughLinksAndRemoval) {
  write('b', 512, 0);
  std::filesystem::create_hard_link(path_, dir_ / "other");
  std::filesystem::remove(path_);
  std::filesystem::rename(dir_ / "other", path_);
  EXPECT_EQ(settle(Survivors::synced), std::string(size, 'a'));
}

TEST_F(DiskFileTest, TearsBetweenSectorsAndInEveryWay) {
  std::set<std::string> outcomes;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    write('a', size, 0);
    disk_.synced();
    write('b', 1024, 512);
    write('c', 100, 2048);
    const auto torn = settle(Survivors::torn, seed);
    ASSERT_EQ(torn.size(), size);
    for (std::size_t at = 0; at < size; at += 512) {
      SCOPED_TRACE(at);
      const char written = at == 512 || at == 1024 ? 'b' : at == 2048 ? 'c' : 'a';
      const std::size_t length = written == 'c' ? 100 : 512;
      EXPECT_TRUE(torn[at] == 'a' || torn[at] == written);
      EXPECT_EQ(torn.substr(at, length), std::string(length, torn[at])) << "torn in a sector";
      EXPECT_EQ(torn.substr(at + length, 512 - length), std::string(512 - length, 'a'));
    }
    outcomes.insert({torn[512], torn[1024], torn[2048]});
  }
  EXPECT_EQ(outcomes.size(), 8U) << "each sector for itself";
}

TEST_F(DiskFileTest, TearsTheSameWithTheSameSeed) {
  std::string first;
  for (int round = 0; round < 2; ++round) {
    write('a', size, 0);
    disk_.synced();
    write('b', size, 0);
    const auto torn = settle(Survivors::torn, 7);
    if (round == 0) first = torn;
    EXPECT_EQ(torn, first);
  }
}

}  // namespace
}  // namespace annals::test
