// Pages beyond the plain one: backward, the newest, read your writes, long polls, NDJSON,
// validators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "testing/resident_memory.hpp"
#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::uint64_t> seqs(const json& page) {
  std::vector<std::uint64_t> out;
  for (const json& event : page["events"])
    out.push_back(event["seq"]);
  return out;
}

std::vector<std::uint64_t> numbers(std::uint64_t from, std::uint64_t to) {
  std::vector<std::uint64_t> out;
  for (auto seq = from; seq != to; seq < to ? ++seq : --seq)
    out.push_back(seq);
  out.push_back(to);
  return out;
}

/// Few workers and short waits: a request that held a worker, or a deadline missed, would show.
server::ServerOptions small() {
  server::ServerOptions options;
  options.workers = 1;
  options.read_wait_for = milliseconds{60};
  options.head_timeout = milliseconds{500};  // deadlines are looked at more often
  return options;
}

template <typename Condition>
bool soon(Condition condition) {
  const auto give_up = std::chrono::steady_clock::now() + client_patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::yield();
  }
  return true;
}

class Pages : public testing::TestWithParam<Backend> {
 public:
  RunningServer server{GetParam(), small()};

  json page(std::string_view query) const {
    return parsed(server.get("/v1/events?" + std::string{query}));
  }
  std::string code(std::string_view target, const HttpClient::Fields& fields = {}) const {
    const auto answer = server.get(target, fields);
    return std::to_string(answer.status) + ' ' +
           (answer.status < 400 ? "" : parsed(answer).value("code", ""));
  }
  /// Returns when every long poll asked before has looked at the log once: requests on both
  /// threads of the server are through, and the one worker takes its jobs in order.
  void let_polls_look() const {
    EXPECT_EQ(server.get("/readyz").status, 200);
    EXPECT_EQ(server.get("/readyz").status, 200);
  }
  HttpClient ask(std::string_view target, const HttpClient::Fields& fields = {}) const {
    HttpClient client{server.port()};
    client.send_request("GET", target, fields);
    return client;
  }
};

TEST_P(Pages, BackwardTheyEndAtTheOldest) {
  server.fill(25);
  const json newest = page("order=desc&limit=10");
  EXPECT_EQ(seqs(newest), numbers(25, 16));
  EXPECT_EQ(newest["next_after"], 25);
  EXPECT_EQ(newest["next_before"], 16);
  EXPECT_EQ(newest["caught_up"], true);
  const json middle = page("order=desc&limit=10&before=16");
  EXPECT_EQ(seqs(middle), numbers(15, 6));
  EXPECT_EQ(middle["next_after"], 15);
  EXPECT_EQ(middle["caught_up"], false);
  const json last = page("order=desc&limit=10&before=6");
  EXPECT_EQ(seqs(last), numbers(5, 1));
  EXPECT_FALSE(last.contains("next_before"));
  EXPECT_FALSE(page("order=desc&limit=5&before=6").contains("next_before")) << "exactly full";
  EXPECT_THAT(seqs(page("order=desc&before=1")), IsEmpty());
  EXPECT_THAT(seqs(page("order=desc&before=0")), IsEmpty());
}

TEST_P(Pages, AfterBoundsABackwardPageBelow) {
  server.fill(9);
  const json bounded = page("order=desc&after=3&before=7");
  EXPECT_THAT(seqs(bounded), ElementsAre(6U, 5U, 4U));
  EXPECT_FALSE(bounded.contains("next_before"));
  EXPECT_EQ(seqs(page("order=desc&after=3&limit=2")), numbers(9, 8));
  EXPECT_EQ(page("order=desc&after=3&limit=2")["next_before"], 8);
  EXPECT_EQ(code("/v1/events?order=desc&after=10"), "410 resync_required");
  server.keep_from(5);
  EXPECT_EQ(seqs(page("order=desc")), numbers(9, 5));
  EXPECT_FALSE(page("order=desc").contains("next_before"));
}

// K2 for pages and NDJSON, with the oldest event kept set by the test.
TEST_P(Pages, ACursorOlderThanTheOldestSaysWhatIsLost) {
  server.fill(10);
  server.keep_from(6);
  for (const char* accept : {"application/json", "application/x-ndjson"}) {
    const auto answer = server.get("/v1/events?after=2", {{"Accept", accept}});
    EXPECT_EQ(answer.status, 410);
    const json lost = parsed(answer);
    EXPECT_EQ(lost["code"], "resync_required");
    EXPECT_EQ(lost["reason"], "expired");
    EXPECT_EQ(lost["oldest"], 6);
    EXPECT_EQ(lost["head"], 10);
    EXPECT_EQ(lost["lost_from"], 3);
    EXPECT_EQ(lost["lost_to"], 5);
    EXPECT_EQ(server.get("/v1/events?after=5", {{"Accept", accept}}).status, 200);
  }
  EXPECT_EQ(seqs(page("")), numbers(6, 10));
  EXPECT_EQ(code("/v1/events?after=0"), "410 resync_required");
}

TEST_P(Pages, TheNewestAreGivenOldestFirst) {
  EXPECT_THAT(seqs(page("last=5")), IsEmpty());
  server.fill(600);
  const json last = page("last=5");
  EXPECT_EQ(seqs(last), numbers(596, 600));
  EXPECT_EQ(last["next_after"], 600);
  EXPECT_EQ(last["next_before"], 596);
  EXPECT_EQ(last["caught_up"], true);
  const json all = page("last=1000");
  EXPECT_EQ(seqs(all), numbers(1, 600));
  EXPECT_FALSE(all.contains("next_before"));
  EXPECT_EQ(code("/v1/events?last=5&after=1"), "400 invalid_request");
}

TEST_P(Pages, MinSeqReadsWhatWasWritten) {
  server.fill(3);
  EXPECT_EQ(code("/v1/events?min_seq=3"), "200 ");
  EXPECT_EQ(code("/v1/events?last=1&min_seq=3"), "200 ");
  const auto early = server.get("/v1/events?min_seq=4");
  EXPECT_EQ(early.status, 503);
  EXPECT_EQ(parsed(early)["code"], "not_reached");
  EXPECT_EQ(early.header("retry-after"), "1");
}

TEST_P(Pages, ALongPollIsAnsweredByTheNextEvent) {
  server.fill(3);
  auto poll = ask("/v1/events?after=3&wait=30s");
  EXPECT_EQ(page("after=0&wait=30s")["events"].size(), 3U) << "what is there is not waited for";
  server.fill(2);
  const json answer = parsed(poll.read_response());
  EXPECT_THAT(seqs(answer), testing::Contains(4U));
  EXPECT_EQ(answer["events"][0]["seq"], 4);
}

TEST_P(Pages, ALongPollEndsEmpty) {
  server.fill(3);
  const json answer = page("after=3&wait=20ms");
  EXPECT_THAT(seqs(answer), IsEmpty());
  EXPECT_EQ(answer["next_after"], 3);
  EXPECT_EQ(answer["caught_up"], true);
  EXPECT_EQ(code("/v1/events?wait=61s"), "400 invalid_request");
}

TEST_P(Pages, LongPollsHoldNoWorker) {
  std::vector<HttpClient> polls;
  for (int i = 0; i < 20; ++i)
    polls.push_back(ask("/v1/events?wait=30s"));
  EXPECT_TRUE(soon([&] { return server.server().subscribers() == 20; }));
  EXPECT_EQ(page("")["head"], 0) << "the one worker is free";
  server.append(event_json());
  for (HttpClient& poll : polls)
    EXPECT_THAT(seqs(parsed(poll.read_response())), ElementsAre(1U));
  EXPECT_TRUE(soon([&] { return server.server().subscribers() == 0; }));
}

TEST_P(Pages, ALongPollThatGoesAwayFreesItsPlace) {
  auto poll = ask("/v1/events?wait=30s");
  EXPECT_TRUE(soon([&] { return server.server().subscribers() == 1; }));
  poll.close();
  EXPECT_TRUE(soon([&] { return server.server().subscribers() == 0; }));
}

TEST_P(Pages, RequestsSentAheadOfALongPollsAnswerWait) {
  auto client = ask("/v1/events?wait=30s");
  client.send_request("GET", "/healthz");
  EXPECT_TRUE(soon([&] { return server.server().subscribers() == 1; }));
  server.append(event_json());
  EXPECT_THAT(seqs(parsed(client.read_response())), ElementsAre(1U));
  EXPECT_EQ(parsed(client.read_response())["status"], "ok");
}

TEST_P(Pages, ARevokedKeyEndsItsLongPoll) {
  server.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string key = server.create_key("reader", {}, {ReadGrant::all()});
  const std::uint64_t head = server.log().state()->event_seq;
  auto poll = ask("/v1/events?wait=30s&after=" + std::to_string(head), {{"X-API-Key", key}});
  EXPECT_TRUE(soon([&] { return server.server().subscribers() == 1; }));
  let_polls_look();
  ASSERT_TRUE(server.log().revoke_key(server.log().local_admin(), "reader"));
  EXPECT_EQ(poll.read_response().status, 401);
}

TEST_P(Pages, AStopAnswersLongPolls) {
  auto poll = ask("/v1/events?wait=30s");
  EXPECT_TRUE(soon([&] { return server.server().subscribers() == 1; }));
  server.restart();
  const auto answer = poll.read_response();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("connection"), "close");
  EXPECT_THAT(seqs(parsed(answer)), IsEmpty());
}

TEST_P(Pages, NdjsonIsEverythingUpToTheHead) {
  server.fill(2500);
  const HttpClient::Fields accept{{"Accept", "application/x-ndjson"}};
  const auto answer = server.get("/v1/events?after=100", accept);
  EXPECT_EQ(answer.header("content-type"), "application/x-ndjson");
  EXPECT_EQ(answer.header("annals-head"), "2500");
  std::istringstream lines{answer.body};
  std::uint64_t seq = 100;
  for (std::string line; std::getline(lines, line);) {
    ASSERT_EQ(json::parse(line)["seq"], ++seq);
    if (seq == 700) {
      EXPECT_EQ(line, server.get("/v1/events/700").body);
    }
  }
  EXPECT_EQ(seq, 2500U);
  EXPECT_EQ(std::ranges::count(server.get("/v1/events?limit=3", accept).body, '\n'), 3);
  EXPECT_EQ(server.get("/v1/events?from=latest", accept).body, "");
  EXPECT_EQ(code("/v1/events?after=2501", accept), "410 resync_required");
  EXPECT_EQ(code("/v1/events?after=x", accept), "400 invalid_cursor");
  EXPECT_EQ(code("/v1/events?order=desc", accept), "400 invalid_request");
  EXPECT_EQ(code("/v1/events?min_seq=2501", accept), "503 not_reached");
  HttpClient client{server.port()};
  EXPECT_EQ(client.request("HEAD", "/v1/events", accept).header("annals-head"), "2500");
  EXPECT_EQ(client.request("GET", "/healthz").status, 200);
}

TEST_P(Pages, AnEventAndItsFormsHaveValidators) {
  server.append(event_json(R"({"a":1})"));
  HttpClient client{server.port()};
  const auto first = client.request("GET", "/v1/events/1");
  const std::string tag = first.header("etag");
  EXPECT_FALSE(tag.empty());
  EXPECT_EQ(first.header("cache-control"), "private, no-cache");
  for (const std::string& known : {tag, "W/" + tag, "\"x\", " + tag, std::string{"*"}}) {
    const auto again = client.request("GET", "/v1/events/1", {{"If-None-Match", known}});
    EXPECT_EQ(again.status, 304) << known;
    EXPECT_EQ(again.header("etag"), tag);
    EXPECT_EQ(again.header("content-length"), "");
  }
  EXPECT_EQ(client.request("GET", "/v1/events/1", {{"If-None-Match", "\"x\""}}).body, first.body);
  const auto header = client.request("GET", "/v1/events/1?form=header");
  EXPECT_NE(header.header("etag"), tag);
  EXPECT_NE(client.request("GET", "/v1/events/1?form=header&hashed=1").header("etag"),
            header.header("etag"));
}

TEST_P(Pages, AClosedPageHasAValidator) {
  server.fill(5);
  const auto open = server.get("/v1/events?limit=5");
  EXPECT_EQ(open.header("etag"), "");
  const std::string tag = server.get("/v1/events?limit=2").header("etag");
  EXPECT_THAT(tag, testing::StartsWith("W/\""));
  server.fill(1);
  const auto again = server.get("/v1/events?limit=2", {{"If-None-Match", tag}});
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_NE(server.get("/v1/events?limit=3").header("etag"), tag);
  EXPECT_NE(server.get("/v1/events?limit=2&after=1").header("etag"), tag);
  EXPECT_NE(server.get("/v1/events?limit=2&order=desc&before=3").header("etag"), "");
}

TEST_P(Pages, OfAStreamGoBothWays) {
  for (int i = 0; i < 5; ++i)
    server.append(event_json("{}", R"(,"stream":"s")"));
  const auto chain = [&](std::string_view query) {
    const json page = parsed(server.get("/v1/streams/s/events?" + std::string{query}));
    std::vector<std::uint64_t> out;
    for (const json& event : page["events"])
      out.push_back(event["stream"]["seq"]);
    out.push_back(page.value("next_before", 0U));
    return out;
  };
  EXPECT_THAT(chain("order=desc&limit=2"), ElementsAre(5U, 4U, 4U));
  EXPECT_THAT(chain("order=desc&limit=3&before=4"), ElementsAre(3U, 2U, 1U, 0U));
  EXPECT_THAT(chain("order=desc&after=3"), ElementsAre(5U, 4U, 0U));
  EXPECT_THAT(chain("after=3"), ElementsAre(4U, 5U, 0U));
  EXPECT_EQ(code("/v1/streams/s/events?after=5"), "200 ");
  EXPECT_EQ(code("/v1/streams/s/events?after=6"), "410 resync_required");
  EXPECT_EQ(code("/v1/streams/s/events?before=6"), "400 invalid_request");
}

TEST_P(Pages, AStreamsChainIsVerified) {
  for (int i = 0; i < 3; ++i)
    server.append(event_json("{}", R"(,"stream":"s")"));
  const json report = parsed(server.get("/v1/streams/s/verify"));
  EXPECT_EQ(report["verdict"], "clean");
  EXPECT_EQ(report["verified"], 3);
  EXPECT_THAT(report["findings"], IsEmpty());
  EXPECT_EQ(code("/v1/streams/none/verify"), "404 not_found");
  server.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string own = server.create_key("mobile", {"*"}, {ReadGrant::own()});
  EXPECT_EQ(code("/v1/streams/s/verify", {{"X-API-Key", own}}), "403 not_allowed");
}

INSTANTIATE_TEST_SUITE_P(Backends, Pages, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

/// A log of about 48 MiB, more than sockets and buffers hold.
void fill_large(RunningServer& server) {
  const std::string text(48'000, 'x');
  for (int i = 0; i < 10; ++i) {
    std::vector<NewEvent> events(100);
    for (NewEvent& event : events) {
      event.type = "test.made";
      event.payload = R"({"a":")" + text + R"("})";
    }
    ASSERT_TRUE(server.log().append(server.log().local_admin(), std::move(events)));
  }
}

TEST(Ndjson, WaitsForAReaderThatTakesNothing) {
  RunningServer server{Backend::sqlite, small()};
  fill_large(server);
  server.get("/v1/events?limit=1000");
  const std::size_t before = resident_bytes();
  std::vector<HttpClient> stalled;
  for (int i = 0; i < 4; ++i) {
    stalled.emplace_back(server.port());
    stalled.back().send_request("GET", "/v1/events", {{"Accept", "application/x-ndjson"}});
    stalled.back().read_head();
  }
  EXPECT_EQ(parsed(server.get("/v1/events/1"))["seq"], 1) << "the one worker is free";
  if (memory_is_measurable) {
    EXPECT_LT(resident_bytes(), before + std::size_t{40} * 1024 * 1024);
  }
  HttpClient reader{server.port()};
  const auto all = reader.request("GET", "/v1/events", {{"Accept", "application/x-ndjson"}});
  EXPECT_EQ(std::ranges::count(all.body, '\n'), 1000);
}

TEST(Ndjson, BreaksOffWhenTheKeyIsRevoked) {
  RunningServer server{Backend::sqlite, small()};
  fill_large(server);
  server.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string key = server.create_key("reader", {}, {ReadGrant::all()});
  HttpClient client{server.port()};
  client.send_request("GET", "/v1/events",
                      {{"Accept", "application/x-ndjson"}, {"X-API-Key", key}});
  EXPECT_EQ(client.read_head().status, 200);
  ASSERT_TRUE(server.log().revoke_key(server.log().local_admin(), "reader"));
  EXPECT_TRUE(soon([&] { return server.server().connections() == 0; }));
  EXPECT_THAT(client.read_to_end(), testing::Not(testing::EndsWith("\r\n0\r\n\r\n")))
      << "never silently short";
}

}  // namespace
}  // namespace annals::test
