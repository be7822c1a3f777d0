#include "log/append/append_queue.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <thread>

namespace annals::log {
namespace {

using std::chrono::milliseconds;

/// A request of `bytes` whose answer is put into `answer`.
PendingAppend pending(std::size_t bytes, std::optional<Result<AppendResult>>* answer = nullptr) {
  PendingAppend result;
  result.request.bytes = bytes;
  result.request.drafts.emplace_back();
  result.deadline = std::chrono::steady_clock::now() + std::chrono::hours{1};
  result.done = [answer](Result<AppendResult> given) {
    if (answer != nullptr) *answer = std::move(given);
  };
  return result;
}

AppendLimits limits(std::size_t bytes) {
  AppendLimits limits;
  limits.queue_max_bytes = bytes;
  limits.group_max_events = 3;
  return limits;
}

TEST(AppendQueue, TakesInOrderOfArrivalUpToTheGroupSize) {
  AppendQueue queue(limits(1000));
  for (int i = 0; i < 5; ++i)
    queue.push(pending(1), Overflow::wait);
  const auto first = queue.take(milliseconds{0});
  ASSERT_EQ(first.size(), 3U);
  EXPECT_EQ(first[0].ticket, 1U);
  EXPECT_EQ(first[2].ticket, 3U);
  queue.finish({}, std::nullopt);
  EXPECT_EQ(queue.take(milliseconds{0}).size(), 2U);
}

/// A request of one event by a key.
PendingAppend by_key(std::uint8_t key) {
  auto result = pending(1);
  result.request.key_id.bytes[0] = key;
  return result;
}

std::vector<std::uint64_t> tickets(const std::vector<PendingAppend>& group) {
  std::vector<std::uint64_t> numbers;
  for (const PendingAppend& taken : group)
    numbers.push_back(taken.ticket);
  return numbers;
}

TEST(AppendQueue, KeysTakeTurnsWhenAGroupIsFull) {
  AppendQueue queue(limits(1000));
  for (int i = 0; i < 7; ++i)
    queue.push(by_key(1), Overflow::wait);
  queue.push(by_key(2), Overflow::wait);
  queue.push(by_key(3), Overflow::wait);
  queue.push(by_key(2), Overflow::wait);
  // One of each key, in order of arrival within the group.
  EXPECT_THAT(tickets(queue.take(milliseconds{0})), testing::ElementsAre(1, 8, 9));
  queue.finish({}, std::nullopt);
  EXPECT_THAT(tickets(queue.take(milliseconds{0})), testing::ElementsAre(2, 3, 10));
  queue.finish({}, std::nullopt);
  // A key that is alone has the whole group.
  EXPECT_THAT(tickets(queue.take(milliseconds{0})), testing::ElementsAre(4, 5, 6));
  queue.finish({}, std::nullopt);
  EXPECT_THAT(tickets(queue.take(milliseconds{0})), testing::ElementsAre(7));
}

TEST(AppendQueue, KeysTakeTurnsInWaitingForRoom) {
  AppendQueue queue(limits(3));
  for (int i = 0; i < 9; ++i)
    queue.push(by_key(1), Overflow::wait);
  EXPECT_EQ(queue.push(by_key(2), Overflow::wait), AppendQueue::Push::waiting);
  EXPECT_THAT(tickets(queue.take(milliseconds{0})), testing::ElementsAre(1, 2, 3));
  queue.finish({}, std::nullopt);
  EXPECT_THAT(tickets(queue.take(milliseconds{0})), testing::ElementsAre(4, 5, 10));
}

TEST(AppendQueue, ACriticalRequestDoesNotOvertakeWhatWasAnswered) {
  AppendQueue queue(limits(1000));
  for (int i = 0; i < 7; ++i) {
    auto answered = by_key(1);
    answered.queued = true;
    queue.push(std::move(answered), Overflow::wait);
  }
  auto critical = by_key(2);
  critical.request.critical = true;
  queue.push(std::move(critical), Overflow::wait);
  EXPECT_THAT(tickets(queue.take(milliseconds{0})), testing::ElementsAre(1, 2, 3));
  queue.finish({}, std::nullopt);
  EXPECT_THAT(tickets(queue.take(milliseconds{0})), testing::ElementsAre(4, 5, 6));
  queue.finish({}, std::nullopt);
  EXPECT_THAT(tickets(queue.take(milliseconds{0})), testing::ElementsAre(7, 8));
}

TEST(AppendQueue, FlushWaitsForTheSlowestKey) {
  AppendQueue queue(limits(1000));
  for (int i = 0; i < 4; ++i)
    queue.push(by_key(1), Overflow::wait);
  queue.push(by_key(2), Overflow::wait);
  std::atomic<bool> flushed = false;
  std::jthread waiter([&] {
    EXPECT_TRUE(queue.flush());
    flushed = true;
  });
  std::vector<std::uint64_t> settled;
  while (settled.size() < 5) {
    EXPECT_FALSE(flushed);
    for (const auto ticket : tickets(queue.take(milliseconds{0})))
      settled.push_back(ticket);
    queue.finish({}, std::nullopt);
  }
  waiter.join();
  EXPECT_TRUE(flushed);
}

TEST(AppendQueue, WhatGoesBackIsTakenAgainInItsOrder) {
  AppendQueue queue(limits(1000));
  queue.push(by_key(1), Overflow::wait);
  queue.push(by_key(2), Overflow::wait);
  queue.push(by_key(1), Overflow::wait);
  auto group = queue.take(milliseconds{0});
  queue.finish(std::move(group), std::nullopt);
  queue.push(by_key(1), Overflow::wait);
  EXPECT_THAT(tickets(queue.take(milliseconds{0})), testing::ElementsAre(1, 2, 3));
  queue.finish({}, std::nullopt);
  EXPECT_THAT(tickets(queue.take(milliseconds{0})), testing::ElementsAre(4));
}

TEST(AppendQueue, WaitingRequestsAreAdmittedInOrderWhenThereIsRoom) {
  AppendQueue queue(limits(10));
  EXPECT_EQ(queue.push(pending(10), Overflow::wait), AppendQueue::Push::admitted);
  EXPECT_EQ(queue.push(pending(6), Overflow::wait), AppendQueue::Push::waiting);
  // A small one does not overtake one that waits.
  EXPECT_EQ(queue.push(pending(1), Overflow::wait), AppendQueue::Push::waiting);
  EXPECT_EQ(queue.take(milliseconds{0}).front().ticket, 1U);
  queue.finish({}, std::nullopt);
  const auto second = queue.take(milliseconds{0});
  ASSERT_EQ(second.size(), 2U);
  EXPECT_EQ(second[0].ticket, 2U);
  EXPECT_EQ(second[1].ticket, 3U);
}

TEST(AppendQueue, RequestLargerThanTheQueuePassesAlone) {
  AppendQueue queue(limits(10));
  EXPECT_EQ(queue.push(pending(50), Overflow::wait), AppendQueue::Push::admitted);
  EXPECT_EQ(queue.push(pending(1), Overflow::wait), AppendQueue::Push::waiting);
}

TEST(AppendQueue, WaitingPastItsDeadlineIsBusy) {
  AppendQueue queue(limits(10));
  std::optional<Result<AppendResult>> answer;
  queue.push(pending(10), Overflow::wait);
  queue.push(pending(9), Overflow::wait);
  PendingAppend late = pending(9, &answer);
  late.deadline = std::chrono::steady_clock::now();
  queue.push(std::move(late), Overflow::wait);
  // The first take makes room for the second request only; the third gives up.
  ASSERT_EQ(queue.take(milliseconds{0}).size(), 1U);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->error().code, ErrorCode::busy);
  EXPECT_TRUE(answer->error().retry_after);
}

TEST(AppendQueue, DropPolicyCountsAndNeverDropsCriticalOnes) {
  AppendQueue queue(limits(10));
  queue.push(pending(10), Overflow::drop);
  std::optional<Result<AppendResult>> answer;
  EXPECT_EQ(queue.push(pending(1, &answer), Overflow::drop), AppendQueue::Push::dropped);
  EXPECT_EQ(answer->error().code, ErrorCode::busy);
  EXPECT_EQ(queue.dropped(), 1U);
  PendingAppend critical = pending(1);
  critical.request.critical = true;
  EXPECT_EQ(queue.push(std::move(critical), Overflow::drop), AppendQueue::Push::waiting);
}

TEST(AppendQueue, QueuedRequestsAreAnsweredWithIdsWhenAdmitted) {
  AppendQueue queue(limits(10));
  std::optional<Result<AppendResult>> answer;
  PendingAppend queued = pending(1, &answer);
  queued.queued = true;
  queued.request.drafts.front().id = Uuid{{7}};
  queue.push(std::move(queued), Overflow::wait);
  ASSERT_TRUE(answer);
  EXPECT_FALSE((*answer)->durable);
  EXPECT_EQ((*answer)->events.front().id, Uuid{{7}});
}

TEST(AppendQueue, GroupEndsBeforeARepeatOfItsIds) {
  AppendQueue queue(limits(1000));
  for (int i = 0; i < 2; ++i) {
    PendingAppend same = pending(1);
    same.request.drafts.front().id = Uuid{{1}};
    same.request.drafts.front().id_given = true;
    queue.push(std::move(same), Overflow::wait);
  }
  EXPECT_EQ(queue.take(milliseconds{0}).size(), 1U);
  queue.finish({}, std::nullopt);
  EXPECT_EQ(queue.take(milliseconds{0}).size(), 1U);
}

TEST(AppendQueue, GroupEndsBeforeARepeatOfAnIdempotencyKeyOrReference) {
  AppendQueue queue(limits(1000));
  for (int i = 0; i < 2; ++i) {
    PendingAppend same = pending(1);
    same.request.idempotency_key = "k";
    queue.push(std::move(same), Overflow::wait);
  }
  for (int i = 0; i < 2; ++i) {
    PendingAppend same = pending(1);
    same.request.drafts.front().event.meta.client_msg_id = "m";
    queue.push(std::move(same), Overflow::wait);
  }
  EXPECT_EQ(queue.take(milliseconds{0}).size(), 1U);
  EXPECT_EQ(queue.take(milliseconds{0}).size(), 2U);
  EXPECT_EQ(queue.take(milliseconds{0}).size(), 1U);
}

TEST(AppendQueue, GivenBackRequestsComeFirstAgain) {
  AppendQueue queue(limits(1000));
  for (int i = 0; i < 4; ++i)
    queue.push(pending(1), Overflow::wait);
  queue.finish(queue.take(milliseconds{0}), Error{ErrorCode::store_full, "", {}, {}});
  const auto again = queue.take(milliseconds{0});
  ASSERT_EQ(again.size(), 3U);
  EXPECT_EQ(again.front().ticket, 1U);
}

TEST(AppendQueue, FlushWaitsForWhatIsBeingWritten) {
  AppendQueue queue(limits(1000));
  EXPECT_TRUE(queue.flush()) << "nothing to wait for";
  queue.push(pending(1), Overflow::wait);
  ASSERT_EQ(queue.take(milliseconds{0}).size(), 1U);
  std::atomic<bool> finished = false;
  std::thread flusher([&] {
    EXPECT_TRUE(queue.flush());
    EXPECT_TRUE(finished) << "returned while the group was being written";
  });
  finished = true;
  queue.finish({}, std::nullopt);
  flusher.join();
  EXPECT_TRUE(queue.flush()) << "settled";
}

TEST(AppendQueue, FlushTellsAFailureOnce) {
  AppendQueue queue(limits(1000));
  queue.push(pending(1), Overflow::wait);
  queue.finish(queue.take(milliseconds{0}), Error{ErrorCode::store_full, "no space", {}, {}});
  const auto flushed = queue.flush();
  ASSERT_FALSE(flushed);
  EXPECT_EQ(flushed.error().code, ErrorCode::store_full);
  queue.take(milliseconds{0});
  queue.finish({}, std::nullopt);
  EXPECT_TRUE(queue.flush());
}

TEST(AppendQueue, ClosedQueueRefusesAndDrains) {
  AppendQueue queue(limits(1000));
  queue.push(pending(1), Overflow::wait);
  queue.close();
  std::optional<Result<AppendResult>> answer;
  EXPECT_EQ(queue.push(pending(1, &answer), Overflow::wait), AppendQueue::Push::closed);
  EXPECT_EQ(answer->error().code, ErrorCode::store_unavailable);
  EXPECT_FALSE(queue.drained());
  EXPECT_EQ(queue.take(milliseconds{0}).size(), 1U);
  queue.finish({}, std::nullopt);
  EXPECT_TRUE(queue.drained());
}

}  // namespace
}  // namespace annals::log
