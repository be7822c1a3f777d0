// Filters and formats of what is read, on every rendering.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

using Seqs = std::vector<std::uint64_t>;

constexpr std::string_view catalogue = R"({"types":[{"pattern":"query.*","labels":{
  "kind":{"values":["manual","scheduled"],"filter":true},
  "status":{"values":["ok","error"],"filter":true},
  "note":{}}}]})";

constexpr std::string_view correlation = "0af76519-16cd-43dd-8448-eb211c80319c";

server::ServerOptions small() {
  server::ServerOptions options;
  options.workers = 1;
  options.page_max_scan = 10;
  options.subscriber_keepalive = milliseconds{40};
  options.subscriber_checkpoint_every = 5;
  return options;
}

/// The numbers of events that stand one a line.
Seqs numbers_in(std::string_view lines) {
  Seqs out;
  std::istringstream in{std::string{lines}};
  for (std::string line; std::getline(in, line);)
    out.push_back(json::parse(line)["seq"]);
  return out;
}

class Filters : public testing::TestWithParam<Backend> {
 public:
  RunningServer server{GetParam(), small()};

  std::uint64_t append(std::string_view type, std::string_view more = "") const {
    const auto answer = server.append(R"({"type":")" + std::string{type} + '"' +
                                      (more.empty() ? "" : ",") + std::string{more} + '}');
    EXPECT_EQ(answer.status, 201) << answer.body;
    return parsed(answer)["seq"];
  }
  json page(std::string_view query) const {
    const auto answer = server.get("/v1/events?" + std::string{query});
    EXPECT_EQ(answer.status, 200) << query << ' ' << answer.body;
    return parsed(answer);
  }
  Seqs seqs(std::string_view query) const {
    const json answer = page(query);
    Seqs out;
    for (const json& event : answer["events"])
      out.push_back(event["seq"]);
    return out;
  }
  Seqs ndjson(std::string_view query) const {
    const auto answer =
        server.get("/v1/events?" + std::string{query}, {{"Accept", "application/x-ndjson"}});
    EXPECT_EQ(answer.status, 200) << answer.body;
    return numbers_in(answer.body);
  }
  /// Events up to the frame `caught_up`.
  Seqs replay(std::string_view query) const {
    SseClient stream{server.port(), "/v1/events/stream?after=0&" + std::string{query}};
    Seqs out;
    while (const auto frame = stream.next_frame()) {
      if (frame->event == "caught_up") break;
      if (frame->event.empty()) out.push_back(frame->seq());
    }
    return out;
  }
  /// All renderings give the same events.
  void expect(std::string_view query, const Seqs& expected) const {
    EXPECT_EQ(seqs(query), expected) << query;
    EXPECT_EQ(ndjson(query), expected) << query;
    EXPECT_EQ(replay(query), expected) << query;
  }
  std::string refusal(std::string_view target, const HttpClient::Fields& fields = {}) const {
    const auto answer = server.get(target, fields);
    return std::to_string(answer.status) + ' ' +
           (answer.status < 400 ? "" : parsed(answer).value("code", ""));
  }
  void declare() {
    ASSERT_TRUE(server.log().apply_catalogue(server.log().local_admin(), catalogue));
  }
};

TEST_P(Filters, EveryMemberOfTheHeaderNarrows) {
  const auto plain = append("a.b");
  const auto rich =
      append("a.b.c", R"("source":"s","stream":"o/1","actor":{"kind":"user","id":"7"},)"
                      R"("scope":{"space_id":"sp","channel_id":"ch","thread_id":"th"},)"
                      R"("resource":{"kind":"order","id":"9"},"correlation_id":")" +
                          std::string{correlation} + '"');
  for (const std::string query :
       {"type=a.b.c", "type=a.b.*", "source=s", "stream=o/1", "stream=o%2F1", "space=sp",
        "channel=ch", "thread=th", "actor=user/7", "resource_kind=order", "resource_id=9",
        "correlation_id=0AF76519-16CD-43DD-8448-EB211C80319C"}) {
    expect(query, {rich});
  }
  expect("type=a.*", {plain, rich});
  expect("type=a.b", {plain});
  expect("source=s&space=other", {});
  expect("actor=user/nobody", {});
  expect("source=s&_=123&cb=x", {rich});
}

TEST_P(Filters, LabelsByNameAndByDeclaration) {
  declare();
  const auto first = append("query.run", R"("labels":{"status":"ok","note":""})");
  const auto second = append("query.run", R"("labels":{"status":"error","note":"5"})");
  append("a.b", R"("labels":{"other":"x"})");
  expect("label.status=ok", {first});
  expect("status=error", {second});
  expect("label.note=", {first});
  expect("label.other=nothing", {});
  expect("label.note=5", {second});
  expect("label.note=5&status=error&kind=manual", {});
}

TEST_P(Filters, TimesAreThoseOfRecording) {
  const auto first = append("a.b", R"("occurred_at":"2001-01-01T00:00:00Z")");
  const auto second = append("a.b");
  const json events = page("limit=2")["events"];
  const std::string since = events[1]["recorded_at"];
  expect("until=" + since,
         since == events[0]["recorded_at"].get<std::string>() ? Seqs{} : Seqs{first});
  const Seqs from_second = seqs("since=" + since);
  ASSERT_FALSE(from_second.empty());
  EXPECT_EQ(from_second.back(), second);
  expect("since=2100-01-01T00:00:00Z", {});
  expect("until=2001-06-01T00:00:00%2B02:00", {});
}

TEST_P(Filters, WhatIsMalformedIsNamed) {
  declare();
  for (const std::string& query : std::vector<std::string>{
           "type=", "source=", "actor=robot/7", "actor=user", "correlation_id=7", "since=yesterday",
           "until=", "label.A=x", "label.=x", "status=oops", "kind=", "source=a&source=a",
           "status=ok&label.status=ok"}) {
    const std::string name = query.substr(0, query.find('='));
    for (const std::string accept :
         {"application/json", "application/x-ndjson", "text/event-stream"}) {
      const auto answer = server.get("/v1/events?" + query, {{"Accept", accept}});
      EXPECT_EQ(answer.status, 400) << query;
      EXPECT_EQ(parsed(answer)["code"], "invalid_filter") << query;
      EXPECT_THAT(parsed(answer)["detail"].get<std::string>(), HasSubstr(name)) << query;
    }
    EXPECT_EQ(refusal("/v1/events/stream?" + query), "400 invalid_filter") << query;
  }
}

TEST_P(Filters, WhatNobodyKnowsIsRefused) {
  for (const std::string query : {"note=x", "nonsense=1", "Type=a.b", "label=x"}) {
    EXPECT_EQ(refusal("/v1/events?" + query), "400 unknown_parameter") << query;
    EXPECT_EQ(refusal("/v1/events/stream?" + query), "400 unknown_parameter") << query;
  }
  EXPECT_EQ(refusal("/v1/events/stream?limit=5"), "400 unknown_parameter");
  EXPECT_EQ(refusal("/v1/events?last_event_id=5"), "400 unknown_parameter");
  EXPECT_EQ(refusal("/v1/events?last_event_id=5", {{"Accept", "application/x-ndjson"}}),
            "400 unknown_parameter");
  EXPECT_EQ(refusal("/v1/events/1?type=a.b"), "400 unknown_parameter");
  EXPECT_EQ(refusal("/v1/events?after=1&after=1"), "400 invalid_request");
}

TEST_P(Filters, APageEndsAfterWhatMayBeLookedAt) {
  server.fill(25);
  const auto rare = append("a.b");
  server.fill(5);
  Seqs found;
  std::uint64_t after = 0;
  int pages = 0;
  for (bool more = true; more; ++pages) {
    const json one = page("type=a.b&after=" + std::to_string(after));
    for (const json& event : one["events"])
      found.push_back(event["seq"]);
    ASSERT_GT(one["next_after"], after);
    ASSERT_LE(one["next_after"], after + 10) << "no page looks at more than max_scan";
    after = one["next_after"];
    more = !one["caught_up"];
  }
  EXPECT_THAT(found, ElementsAre(rare));
  EXPECT_EQ(after, 31U);
  EXPECT_EQ(pages, 4);
}

TEST_P(Filters, BackwardPagesEndThereToo) {
  const auto rare = append("a.b");
  server.fill(25);
  Seqs found;
  std::uint64_t before = 1'000'000;
  while (true) {
    const json one = page("type=a.b&order=desc&before=" + std::to_string(before));
    for (const json& event : one["events"])
      found.push_back(event["seq"]);
    if (!one.contains("next_before")) break;
    ASSERT_LT(one["next_before"], before);
    before = one["next_before"];
  }
  EXPECT_THAT(found, ElementsAre(rare));
  server.fill(3);
  const auto newest = append("a.b");
  EXPECT_THAT(seqs("type=a.b&last=1"), ElementsAre(newest));
}

TEST_P(Filters, ALongPollWaitsForAMatch) {
  server.fill(3);
  HttpClient waiting{server.port()};
  waiting.send_request("GET", "/v1/events?after=3&type=a.b&wait=30s");
  server.fill(15);
  const auto wanted = append("a.b");
  const json answer = parsed(waiting.read_response());
  ASSERT_EQ(answer["events"].size(), 1U);
  EXPECT_EQ(answer["events"][0]["seq"], wanted);
}

TEST_P(Filters, AStreamMovesByCheckpoints) {
  server.fill(12);
  SseClient stream{server.port(), "/v1/events/stream?after=0&type=a.b"};
  EXPECT_EQ(stream.head().header("annals-stream"), "filtered");
  Seqs checkpoints;
  for (auto frame = stream.next_frame(); frame->event != "caught_up"; frame = stream.next_frame()) {
    ASSERT_EQ(frame->event, "checkpoint");
    EXPECT_EQ(json::parse(frame->data), json({{"scanned", frame->seq()}}));
    checkpoints.push_back(frame->seq());
  }
  EXPECT_THAT(checkpoints, ElementsAre(5U, 10U));
  server.fill(2);
  Seqs live;
  while (live.empty() || live.back() < 14) {
    const auto frame = stream.next_frame();
    ASSERT_EQ(frame->event, "checkpoint") << "with a heartbeat";
    ASSERT_LE(frame->seq(), 14U) << "never ahead of what was scanned";
    live.push_back(frame->seq());
  }
  const auto wanted = append("a.b");
  server.fill(1);
  const auto frame = stream.next_frame();
  EXPECT_EQ(frame->event, "");
  EXPECT_EQ(frame->seq(), wanted);
  EXPECT_EQ(frame->data, server.get("/v1/events/" + std::to_string(wanted)).body);
}

TEST_P(Filters, AnUnfilteredStreamHasNoCheckpoints) {
  server.fill(12);
  SseClient stream{server.port(), "/v1/events/stream?after=0"};
  EXPECT_EQ(stream.head().header("annals-stream"), "complete");
  for (std::uint64_t seq = 1; seq <= 12; ++seq) {
    const auto frame = stream.next_frame();
    EXPECT_EQ(frame->event, "");
    EXPECT_EQ(frame->seq(), seq);
  }
}

TEST_P(Filters, NarrowWhatAKeyMaySeeAndNeverWidenIt) {
  const HttpClient::Fields admin{
      {"X-API-Key", server.create_key("admin", {"*"}, {ReadGrant::all()})}};
  const HttpClient::Fields own{{"X-API-Key", server.create_key("own", {"*"}, {ReadGrant::own()})}};
  const auto append_as = [&](const HttpClient::Fields& key, const char* type) {
    return parsed(server.append(R"({"type":")" + std::string{type} + R"("})", key))["seq"]
        .get<std::uint64_t>();
  };
  append_as(admin, "a.b");
  const auto mine = append_as(own, "a.b");
  append_as(own, "a.c");
  append_as(admin, "a.b");
  const auto head = append_as(admin, "a.c");
  const json events = parsed(server.get("/v1/events?type=a.b", own))["events"];
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0]["seq"], mine);
  EXPECT_THAT(
      numbers_in(
          server.get("/v1/events?type=a.b", {own[0], {"Accept", "application/x-ndjson"}}).body),
      ElementsAre(mine));
  SseClient stream{server.port(), "/v1/events/stream?after=0&type=a.b", own};
  Seqs seen;
  for (auto frame = stream.next_frame(); frame->event != "caught_up"; frame = stream.next_frame()) {
    if (frame->event.empty()) seen.push_back(frame->seq());
  }
  EXPECT_THAT(seen, ElementsAre(mine));
  append_as(admin, "a.b");
  const auto live = append_as(own, "a.b");
  auto frame = stream.next_frame();
  while (frame->event == "checkpoint")
    frame = stream.next_frame();
  EXPECT_EQ(frame->seq(), live);
  EXPECT_GT(live, head);
}

TEST_P(Filters, ThePayloadAlone) {
  append("a.b", R"("payload":{"n":1.50,"t":"x"})");
  append("a.c");
  append("a.b", R"("payload":{"n":2})");
  const json events = page("format=payload&type=a.b")["events"];
  EXPECT_EQ(events, json::parse(R"([{"n":1.50,"t":"x"},{"n":2}])"));
  EXPECT_THAT(server.get("/v1/events?format=payload").body,
              HasSubstr(R"({"events":[{"n":1.50,"t":"x"},{},{"n":2}],"next_after":3)"));
  EXPECT_EQ(server.get("/v1/events?format=payload", {{"Accept", "application/x-ndjson"}}).body,
            "{\"n\":1.50,\"t\":\"x\"}\n{}\n{\"n\":2}\n");
  SseClient stream{server.port(), "/v1/events/stream?after=0&format=payload&type=a.b"};
  const auto first = stream.next_frame();
  EXPECT_EQ(first->seq(), 1U);
  EXPECT_EQ(first->data, R"({"n":1.50,"t":"x"})");
  EXPECT_EQ(stream.next_frame()->data, R"({"n":2})");
  EXPECT_EQ(stream.next_frame()->data, R"({"head":3})");
  append("a.b", R"("payload":{"n":3})");
  const auto live = stream.next_frame();
  EXPECT_EQ(live->seq(), 4U);
  EXPECT_EQ(live->data, R"({"n":3})");
  EXPECT_THAT(seqs("format=envelope"), ElementsAre(1U, 2U, 3U, 4U));
}

TEST_P(Filters, FormatsThatAreNotThereAreRefused) {
  for (const std::string format : {"cloudevent", "Payload", "xml"}) {
    EXPECT_EQ(refusal("/v1/events?format=" + format), "400 invalid_request");
    EXPECT_EQ(refusal("/v1/events/stream?format=" + format), "400 invalid_request");
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Filters, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace annals::test
