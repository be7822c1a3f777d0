#include "log/tail.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "store/memory/memory_store.hpp"
#include "testing/fake_ids.hpp"
#include "testing/seed.hpp"

namespace annals::log {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Longer than any healthy run needs; a test that waits it out fails.
constexpr std::chrono::seconds patience{30};

/// Reads of another store, some of which a test replaces.
class InterceptedReader final : public EventReader {
 public:
  explicit InterceptedReader(EventReader& inner) : inner_(inner) {}

  /// Changes every page of the log, or replaces it by an error. Set before the tail starts.
  std::function<Result<void>(Page&)> on_page;
  std::function<Result<std::vector<Gap>>()> on_gaps;

  Result<LogState> state() override { return inner_.state(); }
  Result<Page> page(const ReadOptions& options) override {
    auto page = inner_.page(options);
    if (!page || !on_page) return page;
    if (auto changed = on_page(*page); !changed) return std::unexpected(changed.error());
    return page;
  }
  Result<std::optional<Record>> find(std::uint64_t seq) override { return inner_.find(seq); }
  Result<std::optional<Record>> find(const Uuid& id) override { return inner_.find(id); }
  Result<StreamPage> stream_page(std::string_view stream,
                                 const StreamReadOptions& options) override {
    return inner_.stream_page(stream, options);
  }
  Result<std::vector<StreamHead>> streams(std::string_view prefix, std::string_view after,
                                          std::size_t limit) override {
    return inner_.streams(prefix, after, limit);
  }
  Result<std::optional<StreamHead>> stream(std::string_view name) override {
    return inner_.stream(name);
  }
  Result<std::vector<Gap>> gaps() override { return on_gaps ? on_gaps() : inner_.gaps(); }
  Result<std::optional<core::HashMark>> mark_at_or_before(std::uint64_t seq) override {
    return inner_.mark_at_or_before(seq);
  }
  Result<std::uint64_t> count() override { return inner_.count(); }
  Result<std::vector<std::uint64_t>> lost_ids(std::uint64_t first, std::uint64_t last) override {
    return inner_.lost_ids(first, last);
  }
  [[nodiscard]] bool derives_digests() const noexcept override { return inner_.derives_digests(); }

 private:
  EventReader& inner_;
};

/// A change signal that hears of nothing.
class DeafSignal final : public ChangeSignal {
 public:
  std::uint64_t wait(std::uint64_t seen, milliseconds timeout) override {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, timeout,
                      [this, before = interrupts_] { return interrupts_ != before; });
    return seen;
  }
  void notify(std::uint64_t /*seq*/) noexcept override {}
  void interrupt() noexcept override {
    const std::scoped_lock lock(mutex_);
    ++interrupts_;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int interrupts_ = 0;
};

/// A memory store whose reads can be intercepted.
class InterceptedStore final : public Store {
 public:
  InterceptedStore() : reader(inner_.events()) {}

  Result<void> open(const NewLog& new_log) override { return inner_.open(new_log); }
  void close() noexcept override { inner_.close(); }
  [[nodiscard]] StoreInfo info() const override { return inner_.info(); }
  Result<std::unique_ptr<WriteTransaction>> begin_write(milliseconds timeout) override {
    return inner_.begin_write(timeout);
  }
  Result<void> check_room() override { return inner_.check_room(); }
  EventReader& events() override { return reader; }
  AdminReader& admin() override { return inner_.admin(); }
  ChangeSignal& changes() override { return signal != nullptr ? *signal : inner_.changes(); }
  ForeignTransactions* foreign() override { return inner_.foreign(); }
  void maintain(bool idle) noexcept override { inner_.maintain(idle); }

 private:
  store::MemoryStore inner_;

 public:
  InterceptedReader reader;
  ChangeSignal* signal = nullptr;  ///< Used instead of the store's own.
};

/// Collects what it is given.
class Collector final : public Sink {
 public:
  /// Runs for every batch before it is taken.
  std::function<Result<void>()> before;

  Result<void> deliver(std::span<const Record> records) override {
    if (before) {
      if (auto result = before(); !result) return result;
    }
    const std::scoped_lock lock(mutex_);
    for (const auto& record : records)
      seqs_.push_back(record.header.seq);
    changed_.notify_all();
    return {};
  }

  /// Waits until `count` records came; gives all that are there.
  std::vector<std::uint64_t> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [&] { return seqs_.size() >= count; });
    return seqs_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::uint64_t> seqs_;
};

std::vector<std::uint64_t> from_to(std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> seqs(last - first + 1);
  std::iota(seqs.begin(), seqs.end(), first);
  return seqs;
}

class TailTest : public ::testing::Test {
 public:
  void SetUp() override {
    const Timestamp now{milliseconds(1'767'323'045'000)};
    ASSERT_TRUE(store.open({ids.random_id(), ids.random_id(), now, true}));
  }

  void append(std::size_t count) {
    auto transaction = store.begin_write(patience);
    ASSERT_TRUE(transaction);
    const auto state = (*transaction)->lock_state();
    ASSERT_TRUE(state);
    core::Placer placer(*state, Timestamp{milliseconds(1'767'323'045'000)});
    for (std::size_t i = 0; i < count; ++i) {
      core::ValidEvent event;
      event.type = "order.placed";
      event.resource.kind = "order";
      event.receive_action = "read";
      event.payload = "{}";
      placer.place(
          core::make_draft(std::move(event), ids.random_id(), state->local_key_id, {}, {}));
    }
    ASSERT_TRUE((*transaction)->append(placer.finish()));
    ASSERT_TRUE((*transaction)->commit());
  }

  void start(const TailOptions& options, std::vector<Sink*> sinks) {
    tail.emplace(store, options, std::move(sinks), [this](const TailFailure& failure) {
      const std::scoped_lock lock(mutex);
      failures.push_back(failure);
      failed.notify_all();
    });
    ASSERT_TRUE(tail->start());
  }

  /// The failure that stopped the tail.
  TailFailure wait_for_failure() {
    std::unique_lock lock(mutex);
    failed.wait_for(lock, patience, [this] { return !failures.empty(); });
    EXPECT_EQ(failures.size(), 1U);
    return failures.empty() ? TailFailure{} : failures.front();
  }

  /// Only the change signal wakes the tail.
  static constexpr TailOptions by_signal{.batch_size = 500, .poll_interval = patience};
  /// The store is looked at all the time.
  static constexpr TailOptions by_polling{.batch_size = 500,
                                          .poll_interval = milliseconds(1),
                                          .reconnect_backoff_cap = milliseconds(2)};

  annals::test::FakeIds ids{annals::test::seed()};
  InterceptedStore store;
  Collector first;
  Collector second;
  std::mutex mutex;
  std::condition_variable failed;
  std::vector<TailFailure> failures;
  std::optional<Tail> tail;
};

TEST_F(TailTest, StartsAtTheHead) {
  append(3);
  start(by_signal, {&first});
  EXPECT_EQ(tail->head(), 3U);
  append(2);
  EXPECT_THAT(first.wait_for(2), ElementsAre(4, 5));
  tail->stop();
  EXPECT_EQ(tail->head(), 5U);
  EXPECT_EQ(tail->counters().events, 2U);
  EXPECT_THAT(failures, IsEmpty());
}

TEST_F(TailTest, SinksAreCalledInOrderAndTheHeadFollowsTheLast) {
  std::mutex order_mutex;
  std::vector<std::string> order;
  const auto note = [&](const char* name) {
    return [&, name]() -> Result<void> {
      const std::scoped_lock lock(order_mutex);
      order.push_back(std::string(name) + " at " + std::to_string(tail->head()));
      return {};
    };
  };
  first.before = note("first");
  second.before = note("second");
  start(by_signal, {&first, &second});
  append(2);
  second.wait_for(2);
  append(1);
  second.wait_for(3);
  tail->stop();
  EXPECT_THAT(order, ElementsAre("first at 0", "second at 0", "first at 2", "second at 2"));
}

TEST_F(TailTest, LongBacklogComesInBatches) {
  start({.batch_size = 7, .poll_interval = patience}, {&first});
  append(50);
  EXPECT_EQ(first.wait_for(50), from_to(1, 50));
  tail->stop();
  EXPECT_GE(tail->counters().batches, 8U);
}

TEST_F(TailTest, NothingIsLostOrRepeatedUnderConcurrentWriters) {
  constexpr std::size_t writers = 8;
  constexpr std::size_t rounds = 40;
  start({.batch_size = 16, .poll_interval = patience}, {&first, &second});
  {
    std::vector<std::jthread> threads;
    for (std::size_t writer = 0; writer < writers; ++writer) {
      threads.emplace_back([&, writer] {
        for (std::size_t i = 0; i < rounds; ++i)
          append(1 + (writer + i) % 3);
      });
    }
  }
  const auto state = store.events().state();
  ASSERT_TRUE(state);
  const std::uint64_t head = state->event_seq;
  EXPECT_EQ(second.wait_for(head), from_to(1, head));
  EXPECT_EQ(first.wait_for(head), from_to(1, head));
  EXPECT_THAT(failures, IsEmpty());
}

TEST_F(TailTest, TellsHowLongAgoTheStoreSpoke) {
  start(by_signal, {&first});
  while (tail->notify_age() < milliseconds(20))
    std::this_thread::yield();
  // A read that began just before may find an event without being told of it: then another comes.
  const auto give_up = std::chrono::steady_clock::now() + patience;
  for (std::size_t events = 1;; ++events) {
    const auto before = std::chrono::steady_clock::now();
    append(1);
    first.wait_for(events);
    const auto age = tail->notify_age();
    const auto since = std::chrono::steady_clock::now() - before;
    if (age <= since) break;
    ASSERT_LT(std::chrono::steady_clock::now(), give_up);
  }
}

TEST_F(TailTest, WhatPollingFindsWasNotTold) {
  DeafSignal deaf;
  store.signal = &deaf;
  start(by_polling, {&first});
  const auto started = std::chrono::steady_clock::now();
  append(1);
  first.wait_for(1);
  append(1);
  first.wait_for(2);
  const auto since = std::chrono::steady_clock::now() - started;
  EXPECT_GE(tail->notify_age(), since);
  tail->stop();
}

TEST_F(TailTest, UnexplainedHoleIsFatal) {
  store.reader.on_page = [](Page& page) -> Result<void> {
    if (page.records.size() > 1) page.records.erase(page.records.begin() + 1);
    return {};
  };
  start(by_signal, {&first});
  append(3);
  const auto failure = wait_for_failure();
  EXPECT_EQ(failure.reason, TailFailure::Reason::gap);
  EXPECT_THAT(failure.error.detail, ::testing::HasSubstr("event 2 "));
  tail->stop();
  EXPECT_THAT(first.wait_for(0), IsEmpty()) << "nothing of the batch is delivered";
  EXPECT_EQ(tail->head(), 0U);
}

TEST_F(TailTest, RecordedGapIsSteppedOver) {
  store.reader.on_page = [](Page& page) -> Result<void> {
    std::erase_if(page.records, [](const Record& record) {
      return record.header.seq == 2 || record.header.seq == 3;
    });
    return {};
  };
  store.reader.on_gaps = [] { return std::vector<Gap>{{2, 3, 4}}; };
  start(by_signal, {&first});
  append(6);
  EXPECT_THAT(first.wait_for(4), ElementsAre(1, 4, 5, 6));
  tail->stop();
  EXPECT_EQ(tail->counters().holes, 1U);
  EXPECT_EQ(tail->counters().hole_numbers, 2U);
  EXPECT_THAT(failures, IsEmpty());
}

TEST_F(TailTest, RetentionThatOvertookIsSteppedOver) {
  store.reader.on_page = [](Page& page) -> Result<void> {
    page.oldest = 4;
    std::erase_if(page.records, [](const Record& record) { return record.header.seq < 4; });
    return {};
  };
  start(by_signal, {&first});
  append(5);
  EXPECT_THAT(first.wait_for(2), ElementsAre(4, 5));
  tail->stop();
  EXPECT_EQ(tail->counters().hole_numbers, 3U);
}

TEST_F(TailTest, FailingSinkIsFatal) {
  second.before = [] { return Result<void>(fail(ErrorCode::internal, "no room")); };
  start(by_signal, {&first, &second});
  append(2);
  const auto failure = wait_for_failure();
  EXPECT_EQ(failure.reason, TailFailure::Reason::sink);
  EXPECT_EQ(failure.error.detail, "no room");
  EXPECT_EQ(tail->head(), 0U) << "not all sinks took it";
  append(2);
  tail->stop();
  EXPECT_THAT(first.wait_for(0), ElementsAre(1, 2)) << "nothing further is delivered";
}

TEST_F(TailTest, UnreachableStoreIsTriedAgainWithoutLossOrRepeat) {
  std::atomic<int> reads{0};
  store.reader.on_page = [&](Page& /*page*/) -> Result<void> {
    const int read = ++reads;
    if (read % 3 != 0) {
      return fail(read % 2 == 0 ? ErrorCode::store_unavailable : ErrorCode::busy, "away");
    }
    return {};
  };
  start(
      {.batch_size = 4, .poll_interval = milliseconds(1), .reconnect_backoff_cap = milliseconds(2)},
      {&first});
  append(30);
  EXPECT_EQ(first.wait_for(30), from_to(1, 30));
  tail->stop();
  EXPECT_GE(tail->counters().store_errors, 8U);
  EXPECT_THAT(failures, IsEmpty());
}

TEST_F(TailTest, CorruptStoreIsFatal) {
  store.reader.on_page = [](Page& /*page*/) -> Result<void> {
    return fail(ErrorCode::store_corrupt, "a row is not an event's");
  };
  start(by_polling, {&first});
  EXPECT_EQ(wait_for_failure().reason, TailFailure::Reason::store);
}

TEST_F(TailTest, LostWakeUpIsMadeUpByPolling) {
  DeafSignal deaf;
  store.signal = &deaf;
  start(by_polling, {&first});
  append(1);
  EXPECT_THAT(first.wait_for(1), ElementsAre(1));
  append(2);
  EXPECT_THAT(first.wait_for(3), ElementsAre(1, 2, 3));
  tail->stop();
}

TEST_F(TailTest, StopEndsAWaitAtOnce) {
  start(by_signal, {&first});
  const auto began = std::chrono::steady_clock::now();
  tail->stop();
  tail->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, patience / 2);
  append(1);
  EXPECT_THAT(first.wait_for(0), IsEmpty());
}

TEST_F(TailTest, StopEndsABackOffAtOnce) {
  std::atomic<bool> asked{false};
  store.reader.on_page = [&](Page& /*page*/) -> Result<void> {
    asked = true;
    asked.notify_all();
    return fail(ErrorCode::store_unavailable, "away");
  };
  start({.batch_size = 4, .poll_interval = patience}, {&first});
  asked.wait(false);
  const auto began = std::chrono::steady_clock::now();
  tail->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, patience / 2);
}

TEST_F(TailTest, StopWaitsForTheBatchBeingDelivered) {
  std::atomic<bool> inside{false};
  std::atomic<bool> release{false};
  first.before = [&]() -> Result<void> {
    inside = true;
    inside.notify_all();
    release.wait(false);
    return {};
  };
  start(by_signal, {&first});
  append(1);
  inside.wait(false);
  std::atomic<bool> stopped{false};
  std::jthread stopper([&] {
    tail->stop();
    stopped = true;
  });
  EXPECT_FALSE(stopped.load());
  release = true;
  release.notify_all();
  stopper.join();
  EXPECT_THAT(first.wait_for(0), ElementsAre(1));
  EXPECT_EQ(tail->head(), 1U);
}

TEST_F(TailTest, StartFailsWhenTheStoreCannotSayItsHead) {
  store.close();
  Tail closed(store, by_signal, {&first}, {});
  EXPECT_FALSE(closed.start());
  closed.stop();
}

}  // namespace
}  // namespace annals::log
