#include <atomic>
#include <thread>

#include "tests/contract/store/store_contract.hpp"

namespace annals::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds forever{60'000};

TEST_P(StoreContract, OneTransactionAtATime) {
  const auto transaction = begin();
  const auto before = steady_clock::now();
  EXPECT_EQ(code_of(store().begin_write(milliseconds(30))), ErrorCode::busy);
  EXPECT_GE(steady_clock::now() - before, milliseconds(30));
  transaction->rollback();
  EXPECT_TRUE(store().begin_write(milliseconds(0)));
}

TEST_P(StoreContract, TwoStoresOfOnePlaceExcludeEachOther) {
  const auto other = open();
  const auto transaction = begin();
  EXPECT_EQ(code_of(other->begin_write(milliseconds(30))), ErrorCode::busy);
  ASSERT_TRUE(transaction->append(writer().place(*transaction, EventWriter::events(1, "a"))));
  EXPECT_EQ(other->events().state()->event_seq, 0U);
  ASSERT_TRUE(transaction->commit());
  EXPECT_EQ(other->events().state()->event_seq, 1U);
  const auto placement = writer().append(*other, EventWriter::events(1, "a"));
  EXPECT_EQ(placement.records.front().header.seq, 2U);
  EXPECT_EQ(placement.records.front().header.stream_seq, 2U);
  EXPECT_EQ(state(), placement.after);
}

TEST_P(StoreContract, AWaitingTransactionBeginsWhenTheOtherEnds) {
  const auto other = open();
  auto transaction = begin();
  std::thread waiter([&] { EXPECT_TRUE(other->begin_write(forever)); });
  transaction->rollback();
  waiter.join();
}

TEST_P(StoreContract, ReadersSeeCommittedPrefixesOnly) {
  std::atomic<bool> done = false;
  std::atomic<int> pages = 0;
  const auto follow = [&] {
    std::uint64_t after = 0;
    while (after < 400) {
      const bool was_done = done;
      const auto page = store().events().page({.after = after, .limit = 50});
      ASSERT_TRUE(page) << page.error().detail;
      ++pages;
      // Groups have 10 events: a head in the middle of one was never committed.
      ASSERT_EQ(page->head % 10, 0U);
      for (const auto& record : page->records)
        ASSERT_EQ(record.header.seq, ++after);
      ASSERT_LE(after, page->head);
      ASSERT_EQ(page->caught_up, after == page->head);
      if (page->records.empty() && was_done) break;
    }
    EXPECT_EQ(after, 400U);
  };
  std::thread first(follow);
  std::thread second(follow);
  for (int group = 0; group < 40; ++group) {
    append(EventWriter::events(10, "a"));
    const auto transaction = begin();
    ASSERT_TRUE(transaction->append(writer().place(*transaction, EventWriter::events(7, "a"))));
  }
  done = true;
  first.join();
  second.join();
  EXPECT_GT(pages, 0);
}

TEST_P(StoreContract, WritersOfManyThreadsMakeOneSequence) {
  const auto other = open();
  std::atomic<int> appended = 0;
  const auto write = [&](log::Store& target, std::uint64_t own_seed) {
    EventWriter own(own_seed);
    for (int i = 0; i < 25; ++i) {
      own.append(target, EventWriter::events(2, "s" + std::to_string(i % 3)));
      ++appended;
    }
  };
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 4; ++i) {
    threads.emplace_back(write, std::ref(i % 2 == 0 ? store() : *other), seed() + 100 + i);
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(appended, 100);
  const auto records = all();
  ASSERT_EQ(records.size(), 200U);
  for (std::size_t i = 0; i < records.size(); ++i)
    EXPECT_EQ(records[i].header.seq, i + 1);
  for (const auto* stream : {"s0", "s1", "s2"}) {
    const auto page = store().events().stream_page(stream, {.limit = 1000});
    ASSERT_TRUE(page);
    EXPECT_EQ(page->records.size(), page->version);
    std::optional<Digest> previous;
    for (const auto& record : page->records) {
      EXPECT_EQ(record.prev_hash, previous);
      previous = record.row_hash;
    }
  }
}

TEST_P(StoreContract, ACommitWakesTheWaitersOnceWithTheHighestNumber) {
  EXPECT_EQ(store().changes().wait(0, milliseconds(1)), 0U);
  std::thread waiter([&] { EXPECT_EQ(store().changes().wait(0, forever), 3U); });
  const auto transaction = begin();
  ASSERT_TRUE(transaction->append(writer().place(*transaction, EventWriter::events(2))));
  ASSERT_TRUE(transaction->append(writer().place(*transaction, EventWriter::events(1))));
  ASSERT_TRUE(transaction->commit());
  waiter.join();
  EXPECT_EQ(store().changes().wait(3, milliseconds(1)), 3U);
}

TEST_P(StoreContract, OnlyAppendsWake) {
  append(EventWriter::events(1));
  {
    const auto transaction = begin();
    ASSERT_TRUE(transaction->append(writer().place(*transaction, EventWriter::events(1))));
  }
  const auto transaction = begin();
  ASSERT_TRUE(transaction->admin().put_catalogue({"{}", 1}));
  ASSERT_TRUE(transaction->commit());
  EXPECT_EQ(store().changes().wait(1, milliseconds(1)), 1U);
}

TEST_P(StoreContract, CommitsOfOtherStoresAreNoticed) {
  const auto other = open();
  std::thread waiter([&] { EXPECT_EQ(other->changes().wait(0, forever), 2U); });
  append(EventWriter::events(2));
  waiter.join();
  append(EventWriter::events(1));
  EXPECT_EQ(other->changes().wait(2, forever), 3U);
}

TEST_P(StoreContract, AStoreThatOpensLaterKnowsTheHead) {
  append(EventWriter::events(4));
  EXPECT_EQ(open()->changes().wait(0, forever), 4U);
}

TEST_P(StoreContract, CloseWakesWaiters) {
  std::atomic<bool> woken = false;
  std::thread waiter([&] {
    store().changes().wait(0, forever);
    woken = true;
  });
  // A wait that begins after an interruption is not interrupted by it.
  while (!woken) {
    store().changes().interrupt();
    std::this_thread::yield();
  }
  waiter.join();
  store().close();
}

TEST_P(StoreContract, CloseWaitsForAnOpenTransaction) {
  auto transaction = begin();
  std::atomic<bool> closed = false;
  std::thread closer([&] {
    store().close();
    closed = true;
  });
  const auto placement = writer().place(*transaction, EventWriter::events(1));
  ASSERT_TRUE(transaction->append(placement));
  ASSERT_TRUE(transaction->commit());
  transaction.reset();
  closer.join();
  EXPECT_TRUE(closed);
  reopen();
  EXPECT_EQ(state().event_seq, 1U);
}

}  // namespace
}  // namespace annals::test
