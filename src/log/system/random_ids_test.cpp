#include "log/system/random_ids.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <thread>
#include <vector>

namespace annals::log {
namespace {

Timestamp at_ms(std::int64_t ms) {
  return Timestamp{std::chrono::milliseconds{ms}};
}

TEST(RandomIds, EventIdsAreUuidV7OfTheTime) {
  RandomIds ids;
  const Uuid id = ids.event_id(at_ms(0x0192f5a00001));
  EXPECT_EQ(to_string(id).substr(0, 15), "0192f5a0-0001-7");
  EXPECT_EQ(id.bytes[8] & 0xc0U, 0x80U);
}

TEST(RandomIds, EventIdsIncreaseWhenTheClockStandsOrGoesBack) {
  RandomIds ids;
  Uuid last;
  for (int i = 0; i < 20'000; ++i) {
    const Uuid next = ids.event_id(at_ms(1'000'000 - i % 3));
    EXPECT_LT(last, next);
    last = next;
  }
}

TEST(RandomIds, ThreadsNeverGetTheSameId) {
  RandomIds ids;
  constexpr std::size_t per_thread = 5000;
  std::vector<std::vector<Uuid>> made(4);
  {
    std::vector<std::jthread> threads;
    for (auto& own : made) {
      threads.emplace_back([&ids, &own] {
        for (std::size_t i = 0; i < per_thread; ++i) {
          own.push_back(i % 2 == 0 ? ids.random_id() : ids.event_id(at_ms(5)));
        }
      });
    }
  }
  std::set<Uuid> all;
  for (const auto& own : made)
    all.insert(own.begin(), own.end());
  EXPECT_EQ(all.size(), made.size() * per_thread);
}

TEST(RandomIds, FillsAnySizeWithRandomBytes) {
  RandomIds ids;
  for (const std::size_t size : {0U, 1U, 16U, 1024U, 5000U, 10'000U}) {
    std::vector<std::uint8_t> first(size);
    std::vector<std::uint8_t> second(size);
    ids.random_bytes(first);
    ids.random_bytes(second);
    if (size >= 16) {
      EXPECT_NE(first, second);
    }
  }
}

}  // namespace
}  // namespace annals::log
