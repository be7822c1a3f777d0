#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "testing/random.hpp"
#include "testing/seed.hpp"
#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

server::ServerOptions quick() {
  server::ServerOptions options;
  options.subscriber_keepalive = milliseconds{40};
  options.tail_poll_interval = milliseconds{50};
  return options;
}

class Stream : public testing::TestWithParam<Backend> {
 public:
  RunningServer server{GetParam()};

  SseClient open(std::string_view query = "", const HttpClient::Fields& fields = {}) const {
    return SseClient{server.port(), "/v1/events/stream" + std::string{query}, fields};
  }

  /// Reads events `from` to `to`, one after the other, past control frames.
  static void expect_events(SseClient& stream, std::uint64_t from, std::uint64_t to) {
    while (from <= to) {
      const auto frame = stream.next_frame();
      ASSERT_TRUE(frame) << "ended before " << from;
      if (!frame->event.empty()) continue;
      ASSERT_EQ(frame->seq(), from);
      ++from;
    }
  }
};

TEST_P(Stream, BeginsAtOnceAndIsLeftAloneByProxies) {
  auto stream = open();
  EXPECT_EQ(stream.head().status, 200);
  EXPECT_EQ(stream.head().header("content-type"), "text/event-stream");
  EXPECT_EQ(stream.head().header("cache-control"), "no-cache, no-transform");
  EXPECT_EQ(stream.head().header("x-accel-buffering"), "no");
  EXPECT_EQ(stream.head().header("annals-stream"), "complete");
  EXPECT_EQ(stream.head().header("x-content-type-options"), "nosniff");
  const auto opening = stream.next();
  ASSERT_TRUE(opening && opening->retry);
  EXPECT_GE(*opening->retry, 1000U);
  EXPECT_LE(*opening->retry, 3000U);
  EXPECT_FALSE(opening->comment.empty());
}

TEST_P(Stream, WithoutACursorBeginsNow) {
  server.fill(3);
  auto stream = open();
  const auto caught_up = stream.next_frame();
  EXPECT_EQ(caught_up->event, "caught_up");
  EXPECT_EQ(caught_up->data, R"({"head":3})");
  EXPECT_EQ(caught_up->seq(), 3U);
  server.append(event_json(R"({"a":1})"));
  const auto event = stream.next_frame();
  EXPECT_EQ(event->seq(), 4U);
  EXPECT_EQ(event->event, "");
  EXPECT_EQ(event->data, server.get("/v1/events/4").body);
}

TEST_P(Stream, AlsoByAccept) {
  SseClient stream{server.port(), "/v1/events?after=0", {{"Accept", "text/event-stream"}}};
  EXPECT_EQ(stream.head().header("content-type"), "text/event-stream");
  EXPECT_EQ(stream.next_frame()->event, "caught_up");
}

TEST_P(Stream, ResumesStrictlyAfterTheCursor) {
  server.fill(5);
  auto by_query = open("?after=2");
  expect_events(by_query, 3, 5);
  EXPECT_EQ(by_query.next_frame()->event, "caught_up");
  auto by_header = open("?after=1", {{"Last-Event-ID", "3"}});
  expect_events(by_header, 4, 5);
  auto by_alias = open("?last_event_id=4");
  expect_events(by_alias, 5, 5);
  auto from_oldest = open("?from=oldest");
  expect_events(from_oldest, 1, 5);
  auto empty_header = open("?after=4", {{"Last-Event-ID", ""}});
  expect_events(empty_header, 5, 5);
}

TEST_P(Stream, SaysCaughtUpOnce) {
  auto stream = open("?after=0");
  EXPECT_EQ(stream.next_frame()->event, "caught_up");
  server.fill(2);
  EXPECT_EQ(stream.next_frame()->seq(), 1U);
  EXPECT_EQ(stream.next_frame()->seq(), 2U);
  server.fill(1);
  EXPECT_EQ(stream.next_frame()->seq(), 3U);
}

TEST_P(Stream, AnUnusableCursorIsAnsweredByResync) {
  server.fill(3);
  const auto resync = [&](std::string_view query, const HttpClient::Fields& fields,
                          std::string_view reason) {
    auto stream = open(query, fields);
    const auto frame = stream.next_frame();
    ASSERT_EQ(frame->event, "resync") << query;
    EXPECT_EQ(frame->id, "3");
    EXPECT_EQ(json::parse(frame->data), (json{{"reason", reason}, {"oldest", 1}, {"head", 3}}));
    EXPECT_EQ(stream.next_frame()->event, "caught_up");
  };
  resync("?after=4", {}, "ahead");
  resync("", {{"Last-Event-ID", "9007199254740991"}}, "ahead");
  resync("?after=1&log_id=0190a000-0000-7000-8000-000000000001", {}, "other_log");
  resync("?after=1&incarnation=9", {}, "other_incarnation");
  for (const char* cursor :
       {"%205", "5%3B", "0x5", "-1", "18446744073709551616", "%00", "%ff", "01"}) {
    resync("?after=" + std::string{cursor}, {}, "malformed");
    resync("?last_event_id=" + std::string{cursor}, {}, "malformed");
  }
  for (const char* cursor : {"5;", "0x5", "-1", "18446744073709551616", "\xff\xfe", "1 2"}) {
    resync("", {{"Last-Event-ID", cursor}}, "malformed");
    resync("?after=1", {{"Last-Event-ID", cursor}}, "malformed");
  }
}

// K2, with the oldest event kept set by the test.
TEST_P(Stream, ACursorOlderThanTheOldestSaysWhatIsLost) {
  server.fill(10);
  server.keep_from(6);
  for (const char* query : {"?after=2", "?last_event_id=2"}) {
    auto stream = open(query);
    const auto frame = stream.next_frame();
    ASSERT_EQ(frame->event, "resync");
    EXPECT_EQ(frame->id, "5");
    EXPECT_EQ(
        json::parse(frame->data),
        (json{
            {"reason", "expired"}, {"oldest", 6}, {"head", 10}, {"lost_from", 3}, {"lost_to", 5}}));
    expect_events(stream, 6, 10);
    EXPECT_EQ(stream.next_frame()->event, "caught_up");
  }
  auto edge = open("?after=5");
  expect_events(edge, 6, 10);
  auto oldest = open("?from=oldest");
  expect_events(oldest, 6, 10);
}

TEST_P(Stream, MalformedRequestsAreRefused) {
  EXPECT_EQ(open("?after=1&from=oldest").head().status, 400);
  EXPECT_EQ(open("?aftr=1").head().status, 400);
  EXPECT_EQ(open("", {{"Last-Event-ID", "1"}, {"Last-Event-ID", "2"}}).head().status, 400);
  EXPECT_EQ(open("", {{"Last-Event-ID", std::string(1 << 20, '1')}}).head().status, 431);
}

TEST_P(Stream, NothingWaitsForTheNextEvent) {
  auto stream = open("?after=0");
  std::uint64_t head = 0;
  for (const std::size_t burst : {1U, 2U, 3U, 10U, 100U, 499U, 500U, 501U, 1000U}) {
    server.fill(burst);
    expect_events(stream, head + 1, head + burst);
    head += burst;
  }
}

TEST_P(Stream, CutAtRandomAndResumedItIsComplete) {
  constexpr std::uint64_t total = 3000;
  std::jthread writer{[&] {
    for (std::uint64_t i = 0; i < total; i += 10)
      server.fill(10);
  }};
  Random random{seed()};
  std::uint64_t last = 0;
  while (last < total) {
    auto stream = open("", {{"Last-Event-ID", std::to_string(last)}});
    for (auto frames = random.between(1, 400); frames > 0 && last < total; --frames) {
      const auto frame = stream.next_frame();
      if (!frame || !frame->event.empty()) continue;
      EXPECT_EQ(frame->seq(), last + 1);
      last = frame->seq();
    }
    stream.close(random.chance(50));
  }
}

TEST_P(Stream, ManySubscribersSeeTheSame) {
  std::vector<SseClient> streams;
  for (int i = 0; i < 20; ++i)
    streams.push_back(open("?after=0"));
  for (int i = 0; i < 50; ++i)
    server.append(event_json(R"({"n":)" + std::to_string(i) + "}"));
  for (auto& stream : streams)
    expect_events(stream, 1, 50);
}

TEST_P(Stream, HeadOfAStreamIsAnsweredAndEnds) {
  HttpClient client{server.port()};
  const auto answer = client.request("HEAD", "/v1/events/stream");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("content-type"), "text/event-stream");
  EXPECT_TRUE(client.at_end());
}

TEST_P(Stream, AClosedPeerFreesItsPlaceAtOnce) {
  std::vector<SseClient> streams;
  for (int i = 0; i < 3; ++i) {
    streams.push_back(open());
    streams.back().next_frame();
  }
  EXPECT_EQ(server.server().subscribers(), 3U);
  streams[0].close();
  streams[1].close(true);
  const auto give_up = std::chrono::steady_clock::now() + client_patience;
  while (server.server().subscribers() != 1 && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
  }
  EXPECT_EQ(server.server().subscribers(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Backends, Stream, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

TEST(StreamTimes, SilenceIsFilledWithComments) {
  RunningServer server{Backend::memory, quick()};
  SseClient stream{server.port(), "/v1/events/stream"};
  stream.next_frame();
  for (int i = 0; i < 3; ++i) {
    const auto block = stream.next();
    ASSERT_TRUE(block);
    EXPECT_EQ(block->comment, "keepalive");
  }
}

TEST(StreamLimits, BeyondTheLastPlaceIsBusy) {
  server::ServerOptions options;
  options.subscriber_max_connections = 1;
  RunningServer server{Backend::memory, options};
  {
    SseClient first{server.port(), "/v1/events/stream"};
    first.next_frame();
    const auto refused = server.get("/v1/events/stream");
    EXPECT_EQ(refused.status, 503);
    EXPECT_EQ(refused.header("retry-after"), "5");
    EXPECT_EQ(parsed(refused)["code"], "too_many_subscribers");
  }
}

TEST(StreamLimits, TheLargestEventPassesTheLeastBuffer) {
  server::ServerOptions options;
  options.subscriber_max_pending_bytes = std::size_t{64} * 1024;
  RunningServer server{Backend::sqlite, options};
  const std::string text(57344 - 8, 'x');
  SseClient live{server.port(), "/v1/events/stream?after=0"};
  live.next_frame();
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(server.append(event_json(R"({"a":")" + text + R"("})")).status, 201);
  }
  SseClient late{server.port(), "/v1/events/stream?after=0"};
  for (SseClient* stream : {&live, &late}) {
    for (std::uint64_t seq = 1; seq <= 20; ++seq) {
      const auto frame = stream->next_frame();
      ASSERT_TRUE(frame);
      EXPECT_EQ(frame->event, "");
      EXPECT_EQ(frame->seq(), seq);
    }
  }
}

TEST(StreamLimits, ASlowReaderLagsAndMissesNothing) {
  server::ServerOptions options;
  options.subscriber_max_pending_bytes = std::size_t{64} * 1024;
  options.hub_cache_bytes = std::size_t{256} * 1024;
  RunningServer server{Backend::sqlite, options};
  SseClient stream{server.port(), "/v1/events/stream?after=0"};
  const std::string text(20'000, 'x');
  constexpr std::uint64_t total = 600;  // more than sockets and caches hold
  for (std::uint64_t i = 0; i < total; i += 100) {
    std::vector<NewEvent> events(100);
    for (NewEvent& event : events) {
      event.type = "test.made";
      event.payload = R"({"a":")" + text + R"("})";
    }
    ASSERT_TRUE(server.log().append(server.log().local_admin(), std::move(events)));
  }
  std::uint64_t last = 0;
  while (last < total) {
    const auto frame = stream.next_frame();
    ASSERT_TRUE(frame);
    if (!frame->event.empty()) continue;
    ASSERT_EQ(frame->seq(), last + 1);
    last = frame->seq();
  }
}

TEST(StreamLimits, AReaderThatTakesNothingIsCut) {
  server::ServerOptions options;
  options.subscriber_write_timeout = milliseconds{200};
  RunningServer server{Backend::memory, options};
  const std::string text(50'000, 'x');
  for (int i = 0; i < 400; ++i) {
    server.append(event_json(R"({"a":")" + text + R"("})"));
  }
  SseClient stuck{server.port(), "/v1/events/stream?after=0"};
  const auto give_up = std::chrono::steady_clock::now() + client_patience;
  while (server.server().subscribers() != 0 && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
  }
  EXPECT_EQ(server.server().subscribers(), 0U);
}

TEST(StreamEnd, AStopEndsAtAFrameAndClientsResume) {
  RunningServer server{Backend::sqlite};
  server.fill(2000);
  std::uint64_t last = 0;
  {
    SseClient stream{server.port(), "/v1/events/stream?after=0"};
    for (int i = 0; i < 100; ++i)
      last = std::max(last, stream.next_frame()->seq());
    std::jthread restart{[&] { server.restart(); }};
    while (const auto frame = stream.next_frame()) {
      if (!frame->event.empty()) continue;
      EXPECT_EQ(frame->seq(), last + 1);
      EXPECT_TRUE(json::accept(frame->data));
      last = frame->seq();
    }
  }
  SseClient stream{server.port(), "/v1/events/stream", {{"Last-Event-ID", std::to_string(last)}}};
  while (last < 2000) {
    const auto frame = stream.next_frame();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->seq(), ++last);
  }
}

}  // namespace
}  // namespace annals::test
