#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>
#include <vector>

#include "testing/fake_clock.hpp"
#include "testing/fake_ids.hpp"
#include "testing/random.hpp"
#include "testing/seed.hpp"
#include "testing/temp_dir.hpp"

namespace annals::test {
namespace {

using namespace std::chrono_literals;

TEST(FakeClock, StandsUntilItIsMoved) {
  FakeClock clock;
  const auto start = clock.now();
  EXPECT_EQ(clock.now(), start);
  clock.advance(5s);
  EXPECT_EQ(clock.now(), start + 5s);
  clock.advance(-1h);
  EXPECT_EQ(clock.now(), start + 5s - 1h);
  clock.set(start);
  EXPECT_EQ(clock.now(), start);
}

TEST(FakeClock, TicksWithEveryLook) {
  FakeClock clock;
  clock.tick(3us);
  const auto start = clock.now();
  EXPECT_EQ(clock.now(), start + 3us);
  EXPECT_EQ(clock.now(), start + 6us);
}

TEST(FakeIds, EventIdsIncreaseAlsoWhenTheClockDoesNot) {
  FakeIds ids(seed());
  FakeClock clock;
  std::vector<Uuid> made;
  for (int i = 0; i < 10'000; ++i)
    made.push_back(ids.event_id(clock.now()));
  clock.advance(-1h);
  made.push_back(ids.event_id(clock.now()));
  clock.advance(2h);
  made.push_back(ids.event_id(clock.now()));
  EXPECT_TRUE(std::is_sorted(made.begin(), made.end(), std::less_equal<>{}));
  EXPECT_EQ(made.front().bytes[6] >> 4U, 7);
  EXPECT_EQ(made.front().bytes[8] >> 6U, 2);
}

TEST(FakeIds, TheSameSeedGivesTheSameIds) {
  FakeIds one(7);
  FakeIds two(7);
  FakeIds other(8);
  const auto first = one.random_id();
  EXPECT_EQ(first, two.random_id());
  EXPECT_NE(first, other.random_id());
  EXPECT_EQ(first.bytes[6] >> 4U, 4);
  std::array<std::uint8_t, 16> salt_one{};
  std::array<std::uint8_t, 16> salt_two{};
  one.random_bytes(salt_one);
  two.random_bytes(salt_two);
  EXPECT_EQ(salt_one, salt_two);
}

TEST(FakeIds, ThreadsNeverShareAnId) {
  FakeIds ids(seed());
  std::vector<std::vector<Uuid>> made(4);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : made) {
      threads.emplace_back([&ids, &mine] {
        for (int i = 0; i < 1000; ++i)
          mine.push_back(ids.event_id(FakeClock::default_start()));
      });
    }
  }
  std::set<Uuid> all;
  for (const auto& mine : made)
    all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 4000U);
}

TEST(TempDir, IsEmptyAndGoesWithEverythingInIt) {
  std::filesystem::path where;
  {
    const TempDir dir;
    where = dir.path();
    EXPECT_TRUE(std::filesystem::is_empty(where));
    std::filesystem::create_directory(dir / "inner");
    std::ofstream(dir / "inner/file") << "text";
  }
  EXPECT_FALSE(std::filesystem::exists(where));
}

TEST(TempDir, EveryOneIsNew) {
  const TempDir one;
  const TempDir two;
  EXPECT_NE(one.path(), two.path());
}

TEST(Random, ChoicesComeFromTheSeedAlone) {
  Random random(42);
  // Fixed: a change of the engine would make every printed seed of the past worthless.
  EXPECT_EQ(random.bits(), 13930160852258120406ULL);
  std::vector<int> items{1, 2, 3, 4, 5, 6, 7, 8};
  random.shuffle(items);
  std::sort(items.begin(), items.end());
  EXPECT_EQ(items, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}));
  for (int i = 0; i < 1000; ++i) {
    const auto value = random.between(3, 5);
    EXPECT_GE(value, 3U);
    EXPECT_LE(value, 5U);
  }
}

}  // namespace
}  // namespace annals::test
