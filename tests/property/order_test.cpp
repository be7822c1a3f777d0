// One sequence without holes, in the order of commits, whatever units, clocks and threads do.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "testing/event_gen.hpp"
#include "testing/fake_clock.hpp"
#include "testing/seed.hpp"
#include "testing/test_log.hpp"

namespace annals::test {
namespace {

using namespace std::chrono_literals;

NewEvent small_event(std::string stream = {}) {
  NewEvent event;
  event.type = "order.placed";
  if (!stream.empty()) event.stream = std::move(stream);
  return event;
}

std::uint64_t head_of(const EventLog& log) {
  return log.state().value().event_seq;
}

void expect_proven(const EventLog& log, std::uint64_t events) {
  const auto report = log.verify({});
  ASSERT_TRUE(report) << report.error().detail;
  EXPECT_TRUE(report->clean());
  EXPECT_EQ(report->verified, events);
  EXPECT_EQ(head_of(log), events);
}

/// Reads the log on its own thread as it grows and notes the first event that is not the next.
class Reader {
 public:
  explicit Reader(const EventLog& log) : log_(log), thread_([this] { read(); }) {}

  /// Reads on to the head, ends, and returns the last seq seen; 0 when the order was broken.
  std::uint64_t finish() {
    stopping_ = true;
    thread_.join();
    return broken_ ? 0 : last_;
  }

 private:
  void read() {
    while (true) {
      const bool last_round = stopping_;
      const auto page = log_.read({.after = last_, .limit = 1000});
      for (const auto& record : page.value().records) {
        if (record.header.seq != last_ + 1) broken_ = true;
        last_ = record.header.seq;
      }
      if (page->caught_up && last_round) return;
      if (page->caught_up) static_cast<void>(log_.wait_after(last_, 20ms));
    }
  }

  const EventLog& log_;
  std::atomic<bool> stopping_ = false;
  bool broken_ = false;
  std::uint64_t last_ = 0;
  std::thread thread_;
};

std::future<Result<AppendResult>> append_later(EventLog& log, std::vector<NewEvent> events) {
  auto promise = std::make_shared<std::promise<Result<AppendResult>>>();
  auto future = promise->get_future();
  log.append_async(
      log.local_admin(), std::move(events), {},
      [promise](Result<AppendResult> result) { promise->set_value(std::move(result)); });
  return future;
}

class Order : public testing::TestWithParam<Backend> {
 protected:
  TestLog log_{GetParam()};
  EventGen generator_{seed(), {.payload_bytes = 100, .edge_percent = 0}};
};

INSTANTIATE_TEST_SUITE_P(Stores, Order, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

/// A unit begins, appends and stays open while others append after it.
TEST_P(Order, AUnitThatCommitsLateIsNeverSkipped) {
  constexpr int rounds = 1000;
  const auto admin = log_->local_admin();
  Reader reader(*log_);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t before = head_of(*log_);
    auto unit = log_->begin(admin);
    ASSERT_TRUE(unit) << unit.error().detail;
    ASSERT_TRUE(unit->append(generator_.event()));
    auto second = append_later(*log_, generator_.batch(2));
    auto third = append_later(*log_, {generator_.event()});
    // Now and then long enough for a writer that does not wait to get past.
    if (round % 100 == 0) {
      EXPECT_EQ(log_->wait_after(before, 20ms).value(), before);
    }
    EXPECT_EQ(head_of(*log_), before);

    std::uint64_t expected = before + 3;
    if (generator_.random().chance(70)) {
      const auto committed = unit->commit();
      ASSERT_TRUE(committed) << committed.error().detail;
      EXPECT_EQ(committed->events.front().seq, before + 1);
      ++expected;
    } else {
      unit->rollback();
    }
    const auto two = second.get();
    const auto one = third.get();
    ASSERT_TRUE(two && one);
    EXPECT_EQ(two->events[1].seq, two->events[0].seq + 1);
    EXPECT_EQ(one->events[0].seq, expected);
    EXPECT_EQ(head_of(*log_), expected);
  }
  const std::uint64_t head = head_of(*log_);
  EXPECT_EQ(reader.finish(), head);
  expect_proven(*log_, head);
}

TEST_P(Order, RolledBackUnitsLeaveNoHoleAlsoAfterARestart) {
  ASSERT_TRUE(log_->append(log_->local_admin(), generator_.batch(3)));
  for (int i = 0; i < 50; ++i) {
    auto unit = log_->begin(log_->local_admin());
    ASSERT_TRUE(unit);
    for (auto& event : generator_.batch(1 + i % 3))
      ASSERT_TRUE(unit->append(event));
    // Every way of giving up: said, by the destructor, by an expectation that does not hold.
    if (i % 3 == 0) unit->rollback();
    if (i % 3 == 1) {
      ASSERT_TRUE(unit->expect("nobody-writes-here", {ExpectedVersion::Kind::exists, 0}));
      EXPECT_EQ(unit->commit().error().code, ErrorCode::version_conflict);
    }
  }
  EXPECT_EQ(head_of(*log_), 3U);
  log_.restart();

  auto appended = append_later(*log_, {small_event("s")});
  // The wake-up comes with the commit, not with a later poll.
  EXPECT_EQ(log_->wait_after(3, 20s).value(), 4U);
  EXPECT_EQ(appended.get().value().events.front().seq, 4U);
  EXPECT_EQ(log_->read({.after = 3}).value().records.size(), 1U);
  expect_proven(*log_, 4);
}

TEST(OrderOfClocks, NothingDependsOnTheProducersClock) {
  for (const auto backend : {Backend::memory, Backend::sqlite}) {
    const auto clock = std::make_shared<FakeClock>();
    TestLog log(backend, {}, clock);
    Random random(seed());
    constexpr std::uint64_t events = 300;
    std::optional<Timestamp> previous;
    for (std::uint64_t i = 1; i <= events; ++i) {
      // The producer is up to an hour off, the server's own clock jumps too.
      clock->advance(std::chrono::seconds{static_cast<int>(random.below(7200)) - 3600});
      NewEvent event = small_event("s");
      event.occurred_at = FakeClock::default_start() + std::chrono::seconds{random.below(7200)};
      const auto appended = log->append(log->local_admin(), event);
      ASSERT_TRUE(appended) << appended.error().detail;
      EXPECT_EQ(appended->events.front().seq, i);
      EXPECT_EQ(appended->events.front().stream_seq, i);
      const Header header = log->find(i).value().header;
      EXPECT_EQ(header.occurred_at, event.occurred_at);
      if (previous) {
        EXPECT_GE(header.recorded_at, *previous);
      }
      previous = header.recorded_at;
    }
    expect_proven(*log, events);
  }
}

TEST_P(Order, ParallelAppendsToOneStreamAreAllThere) {
  std::uint64_t expected = 0;
  for (const std::size_t writers : {20U, 64U, 200U}) {
    std::vector<AppendedEvent> answers(writers);
    std::vector<std::uint8_t> answered(writers, 0);
    {
      std::latch start(static_cast<std::ptrdiff_t>(writers));
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < writers; ++i) {
        threads.emplace_back([&, i] {
          start.arrive_and_wait();
          const auto appended = log_->append(log_->local_admin(), small_event("busy"));
          if (!appended) return;
          answers[i] = appended->events.front();
          answered[i] = 1;
        });
      }
    }
    for (std::size_t i = 0; i < writers; ++i) {
      ASSERT_EQ(answered[i], 1);
      const auto stored = log_->find(answers[i].seq);
      ASSERT_TRUE(stored) << stored.error().detail;
      EXPECT_EQ(stored->header.id, answers[i].id);
      EXPECT_EQ(stored->header.stream_seq, answers[i].stream_seq);
      EXPECT_EQ(stored->row_hash, answers[i].hash);
    }
    expected += writers;
    EXPECT_EQ(log_->stream("busy").value().version, expected);
  }
  expect_proven(*log_, expected);
}

TEST_P(Order, ParallelFirstAppendsMakeOneGenesis) {
  constexpr std::size_t writers = 64;
  constexpr int streams = 10;
  for (int i = 0; i < streams; ++i) {
    const std::string stream = "new-" + std::to_string(i);
    std::latch start(writers);
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < writers; ++t) {
      threads.emplace_back([&] {
        start.arrive_and_wait();
        EXPECT_TRUE(log_->append(log_->local_admin(), small_event(stream)));
      });
    }
    threads.clear();
    const auto page = log_->read_stream(stream, {.limit = 1000, .verify = true});
    ASSERT_EQ(page.value().records.size(), writers);
    EXPECT_FALSE(page->records.front().prev_hash);
    for (std::size_t n = 1; n < writers; ++n) {
      EXPECT_EQ(page->records[n].prev_hash, page->records[n - 1].row_hash);
    }
  }
  expect_proven(*log_, writers * streams);
}

}  // namespace
}  // namespace annals::test
