// From what was before to what comes: H3 to H6.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "testing/random.hpp"
#include "testing/sanitized.hpp"
#include "testing/seed.hpp"
#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::IsEmpty;

using Seqs = std::vector<std::uint64_t>;

using CatchUp = testing::TestWithParam<Backend>;

void append(const RunningServer& server, std::string_view type) {
  ASSERT_EQ(server.append(R"({"type":")" + std::string(type) + R"("})").status, 201);
}

SseClient follow(const RunningServer& server, std::uint64_t after, const std::string& filter = "") {
  return SseClient{
      server.port(), "/v1/events/stream?" + filter, {{"Last-Event-ID", std::to_string(after)}}};
}

/// What a stream sent up to the frame `caught_up`.
struct Replay {
  Seqs events;
  Seqs checkpoints;
  std::uint64_t caught_up = 0;
};

Replay replay(SseClient& stream) {
  Replay out;
  while (const auto frame = stream.next_frame()) {
    if (frame->event == "caught_up") {
      out.caught_up = frame->seq();
      break;
    }
    (frame->event.empty() ? out.events : out.checkpoints).push_back(frame->seq());
  }
  return out;
}

std::int64_t switches() {
  if (std::getenv("ANNALS_SOAK") != nullptr) return 10'000;
  return sanitized ? 50 : 500;
}

// H3: each connection catches up, goes on live, and is cut at some frame.
TEST_P(CatchUp, SwitchesToLiveUnderLoadLoseAndRepeatNothing) {
  constexpr std::size_t readers = 4;
  RunningServer server{GetParam()};
  std::jthread writer{[&](const std::stop_token& done) {
    while (!done.stop_requested())
      server.fill(1);
  }};
  std::atomic<std::int64_t> left = switches();
  const auto read = [&](std::uint64_t random_seed) {
    Random random{random_seed};
    std::uint64_t last = 0;
    while (left-- > 0 && !HasFailure()) {
      auto stream = follow(server, last);
      bool live = false;
      for (auto frames = random.between(1, 5); frames > 0;) {
        const auto frame = stream.next_frame();
        ASSERT_TRUE(frame);
        if (live) --frames;
        live = live || frame->event == "caught_up";
        if (!frame->event.empty()) continue;
        ASSERT_EQ(frame->seq(), last + 1);
        last = frame->seq();
      }
      stream.close(random.chance(50));
    }
    EXPECT_GT(last, 0U);
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < readers; ++i)
    threads.emplace_back(read, seed() + i);
  for (auto& thread : threads)
    thread.join();
}

// H4
TEST_P(CatchUp, NoIdIsSentForWhatWasNotScanned) {
  RunningServer server{GetParam()};
  std::uint64_t head = 0;
  for (const std::size_t more : {0U, 999U, 1U, 1000U, 2000U, 1U}) {
    server.fill(more);
    head += more;
    auto stream = follow(server, 0, "type=a.b");
    const auto before = replay(stream);
    EXPECT_EQ(before.caught_up, head);
    for (const auto scanned : before.checkpoints)
      EXPECT_LE(scanned, head);
    EXPECT_EQ(before.checkpoints.size(), head / 1000);
    const json page = parsed(server.get("/v1/events?limit=1000&type=a.b"));
    EXPECT_EQ(page["next_after"], head);
    EXPECT_EQ(page["caught_up"], true);
    EXPECT_EQ(read_all(server).size(), head);
    if (head == 0) continue;
    auto from_last_page = follow(server, head - 1);
    EXPECT_THAT(replay(from_last_page).events, ElementsAre(head));
  }
  auto live = follow(server, head, "type=a.b");
  EXPECT_THAT(replay(live).checkpoints, IsEmpty());
  append(server, "a.b");
  EXPECT_EQ(live.next_frame()->seq(), head + 1);
}

// H5
TEST_P(CatchUp, WhatWasScannedOnceIsNotScannedAgain) {
  server::ServerOptions options;
  options.subscriber_keepalive = milliseconds{40};
  RunningServer server{GetParam(), options};
  append(server, "a.b");
  server.fill(10'500);
  const std::uint64_t head = 10'501;
  std::uint64_t reached = 0;
  {
    auto stream = follow(server, 0, "type=a.b");
    const auto first = replay(stream);
    EXPECT_THAT(first.events, ElementsAre(1U));
    ASSERT_GE(first.checkpoints.size(), 10U);
    reached = first.checkpoints.back();
    EXPECT_GT(reached + 1000, head);
  }
  {
    // It has seen no more than the last checkpoint, and goes on there.
    auto stream = follow(server, reached, "type=a.b");
    const auto again = replay(stream);
    EXPECT_THAT(again.events, IsEmpty());
    EXPECT_THAT(again.checkpoints, Each(Ge(reached)));
    EXPECT_EQ(again.caught_up, head);
    server.fill(20);
    // Idle, it is moved by the checkpoint that comes with a heartbeat.
    for (reached = 0; reached < head + 20;) {
      const auto frame = stream.next_frame();
      ASSERT_EQ(frame->event, "checkpoint");
      ASSERT_GE(frame->seq(), reached);
      reached = frame->seq();
    }
    EXPECT_EQ(reached, head + 20);
  }
  append(server, "a.b");
  auto stream = follow(server, reached, "type=a.b");
  EXPECT_THAT(replay(stream).events, ElementsAre(reached + 1));
}

// H6
TEST_P(CatchUp, ACursorIsGoodForEveryFilter) {
  const RunningServer server{GetParam()};
  for (int i = 0; i < 5; ++i) {
    append(server, "a.b");
    append(server, "a.c");
  }
  std::uint64_t cursor = 0;
  {
    auto stream = follow(server, 0, "type=a.b");
    EXPECT_EQ(stream.next_frame()->seq(), 1U);
    cursor = stream.next_frame()->seq();
    EXPECT_EQ(cursor, 3U);
  }
  auto other = follow(server, cursor, "type=a.c");
  EXPECT_THAT(replay(other).events, ElementsAre(4U, 6U, 8U, 10U));
  auto all = follow(server, cursor);
  EXPECT_THAT(replay(all).events, ElementsAre(4U, 5U, 6U, 7U, 8U, 9U, 10U));
  auto same = follow(server, cursor, "type=a.b");
  EXPECT_THAT(replay(same).events, ElementsAre(5U, 7U, 9U));
}

INSTANTIATE_TEST_SUITE_P(Backends, CatchUp, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace annals::test
