#include "store/common/fair_gate.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace annals::store {
namespace {

using std::chrono::milliseconds;

TEST(FairGate, IsExclusive) {
  FairGate gate;
  auto hold = gate.acquire();
  EXPECT_FALSE(gate.acquire(milliseconds(0)));
  EXPECT_FALSE(gate.acquire(milliseconds(5)));
  hold.release();
  EXPECT_TRUE(gate.acquire(milliseconds(0)));
}

TEST(FairGate, ReleasesOnceHoweverOftenItIsAsked) {
  FairGate gate;
  auto first = gate.acquire();
  first.release();
  auto second = gate.acquire();
  first.release();
  EXPECT_FALSE(gate.acquire(milliseconds(0)));
  auto moved = std::move(second);
  EXPECT_FALSE(gate.acquire(milliseconds(0)));
  moved = std::move(first);
  EXPECT_TRUE(gate.acquire(milliseconds(0)));
}

TEST(FairGate, LetsPassInOrderOfArrival) {
  FairGate gate;
  auto hold = std::optional(gate.acquire());
  std::mutex mutex;
  std::vector<int> passed;
  std::vector<std::thread> threads;
  constexpr int count = 20;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      const auto own = gate.acquire(milliseconds::max());
      ASSERT_TRUE(own);
      const std::lock_guard lock(mutex);
      passed.push_back(i);
    });
    // The next one may only come when this one waits.
    while (gate.waiting() != static_cast<std::size_t>(i) + 1)
      std::this_thread::yield();
  }
  hold.reset();
  for (auto& thread : threads)
    thread.join();
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(passed.at(static_cast<std::size_t>(i)), i);
}

TEST(FairGate, WhoGivesUpIsForgotten) {
  FairGate gate;
  auto hold = std::optional(gate.acquire());
  std::thread impatient([&] { EXPECT_FALSE(gate.acquire(milliseconds(1))); });
  impatient.join();
  EXPECT_EQ(gate.waiting(), 0U);
  hold.reset();
  EXPECT_TRUE(gate.acquire(milliseconds(0)));
}

TEST(FairGate, CountsRightUnderContention) {
  FairGate gate;
  int counter = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 500; ++n) {
        const auto hold = gate.acquire();
        ++counter;
      }
    });
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(counter, 2000);
}

}  // namespace
}  // namespace annals::store
