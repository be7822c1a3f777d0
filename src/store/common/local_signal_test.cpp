#include "store/common/local_signal.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace annals::store {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds forever = milliseconds::max();

TEST(LocalSignal, AnswersAtOnceWhatItHasHeard) {
  LocalSignal signal;
  signal.notify(7);
  EXPECT_EQ(signal.wait(6, forever), 7U);
  EXPECT_EQ(signal.wait(7, milliseconds(1)), 7U);
  EXPECT_EQ(signal.wait(9, milliseconds(1)), 9U);
}

TEST(LocalSignal, NeverGoesBack) {
  LocalSignal signal;
  signal.notify(7);
  signal.notify(3);
  EXPECT_EQ(signal.wait(0, forever), 7U);
}

TEST(LocalSignal, WakesEveryWaiter) {
  LocalSignal signal;
  std::atomic<int> woken = 0;
  std::thread first([&] { woken += signal.wait(0, forever) == 1; });
  std::thread second([&] { woken += signal.wait(0, forever) == 1; });
  signal.notify(1);
  first.join();
  second.join();
  EXPECT_EQ(woken, 2);
}

TEST(LocalSignal, InterruptWakesWithoutNews) {
  LocalSignal signal;
  std::atomic<bool> done = false;
  std::thread waiter([&] {
    EXPECT_EQ(signal.wait(5, forever), 5U);
    done = true;
  });
  // Interrupting before the wait begins is not remembered.
  while (!done) {
    signal.interrupt();
    std::this_thread::yield();
  }
  waiter.join();
}

TEST(LocalSignal, PollsWhileSomebodyWaits) {
  std::atomic<int> polls = 0;
  LocalSignal signal([&] { return ++polls >= 3 ? std::uint64_t{42} : std::uint64_t{0}; },
                     milliseconds(1));
  EXPECT_EQ(polls, 0);
  EXPECT_EQ(signal.wait(0, forever), 42U);
  EXPECT_EQ(polls, 3);
}

TEST(LocalSignal, DoesNotPollForWhatItKnows) {
  std::atomic<int> polls = 0;
  LocalSignal signal([&] { return static_cast<std::uint64_t>(++polls); }, milliseconds(1));
  signal.notify(9);
  EXPECT_EQ(signal.wait(3, forever), 9U);
  EXPECT_EQ(polls, 0);
}

TEST(LocalSignal, EndsAtItsTimeoutAlsoWhilePolling) {
  LocalSignal signal([] { return std::uint64_t{0}; }, milliseconds(1));
  const auto begin = steady_clock::now();
  EXPECT_EQ(signal.wait(1, milliseconds(20)), 1U);
  EXPECT_GE(steady_clock::now() - begin, milliseconds(20));
}

}  // namespace
}  // namespace annals::store
