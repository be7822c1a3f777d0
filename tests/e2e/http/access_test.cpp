#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using nlohmann::json;
using testing::SizeIs;

HttpClient::Fields with_key(const std::string& key) {
  return {{"X-API-Key", key}};
}

class Access : public testing::TestWithParam<Backend> {
 public:
  RunningServer server{GetParam()};
};

TEST_P(Access, WithoutAKeyEverythingIsOpenUnderALoopbackName) {
  EXPECT_EQ(server.append(event_json()).status, 201);
  EXPECT_EQ(server.get("/v1/events", {{"Host", "127.0.0.1:7420"}}).status, 200);
  EXPECT_EQ(server.get("/v1/events", {{"Host", "[::1]:7420"}}).status, 200);
  const auto rebound = server.get("/v1/events", {{"Host", "evil.example"}});
  EXPECT_EQ(rebound.status, 403);
  EXPECT_EQ(server.get("/v1/events", {{"Host", "localhost.evil.example"}}).status, 403);
}

TEST_P(Access, TheFirstKeyEndsOpenModeAndItsStreams) {
  SseClient stream{server.port(), "/v1/events/stream"};
  EXPECT_EQ(stream.next_frame()->event, "caught_up");
  const std::string admin = server.create_key("admin", {"*"}, {ReadGrant::all()});
  EXPECT_EQ(stream.next_frame()->event, "revoked");
  EXPECT_FALSE(stream.next_frame());
  EXPECT_EQ(server.get("/v1/events").status, 401);
  EXPECT_EQ(server.get("/v1/events").header("www-authenticate"), "Bearer");
  EXPECT_EQ(server.append(event_json()).status, 401);
  EXPECT_EQ(server.get("/v1/events/stream").status, 401);
  EXPECT_EQ(server.get("/v1/log").status, 401);
  EXPECT_EQ(server.append(event_json(), with_key(admin)).status, 201);
  EXPECT_EQ(server.get("/v1/events", {{"Authorization", "Bearer " + admin}}).status, 200);
  EXPECT_EQ(server.get("/v1/events", {{"authorization", "bearer " + admin}}).status, 200);
  EXPECT_EQ(server.get("/v1/events", {{"Authorization", "Basic " + admin}}).status, 401);
  EXPECT_EQ(server.get("/v1/events", with_key("x" + admin)).status, 401);
  EXPECT_EQ(
      server.get("/v1/events", {{"X-API-Key", admin}, {"Authorization", "Bearer other"}}).status,
      401);
}

TEST_P(Access, AKeyAppendsOnlyItsTypes) {
  server.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string key = server.create_key("orders", {"order.*", "cart.made"}, {});
  EXPECT_EQ(server.append(R"({"type":"order.paid"})", with_key(key)).status, 201);
  const auto refused = server.append(R"({"type":"query.made"})", with_key(key));
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(parsed(refused)["code"], "not_allowed");
  EXPECT_EQ(parsed(refused)["refused_type"], "query.made");
  EXPECT_EQ(parsed(refused)["allowed_types"], (json{"cart.made", "order.*"}));
  EXPECT_EQ(server.get("/v1/events", with_key(key)).status, 403);
  EXPECT_EQ(server.get("/v1/events/stream", with_key(key)).status, 403);
  const std::string reader = server.create_key("reader", {}, {ReadGrant::all()});
  EXPECT_EQ(server.append(R"({"type":"order.paid"})", with_key(reader)).status, 403);
}

TEST_P(Access, OwnReadsOnlyWhatTheKeyAppended) {
  const std::string admin = server.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string key = server.create_key("mobile", {"*"}, {ReadGrant::own()});
  std::vector<std::uint64_t> own;
  for (int i = 0; i < 12; ++i) {
    const auto answer = server.append(event_json(), with_key(i % 3 == 0 ? key : admin));
    if (i % 3 == 0) own.push_back(parsed(answer)["seq"]);
  }
  // Somebody else's to see, although it is its own.
  server.append(event_json("{}", R"(,"audience":"user/42")"), with_key(key));
  EXPECT_EQ(seqs(read_all(server, 0, with_key(key))), own);
  EXPECT_THAT(read_all(server, 0, with_key(admin)), SizeIs(15));
  EXPECT_EQ(server.get("/v1/events/" + std::to_string(own[1]), with_key(key)).status, 200);
  EXPECT_EQ(server.get("/v1/events/" + std::to_string(own[1] + 1), with_key(key)).status, 404);
  EXPECT_EQ(server.get("/v1/streams", with_key(key)).status, 403);

  SseClient stream{server.port(), "/v1/events/stream?after=0", with_key(key)};
  for (const std::uint64_t seq : own)
    EXPECT_EQ(stream.next_frame()->seq(), seq);
  const auto caught_up = stream.next_frame();
  EXPECT_EQ(caught_up->event, "caught_up");
  EXPECT_EQ(caught_up->seq(), 15U);
}

TEST_P(Access, ThePositionOfAnotherKeyShowsNothingOfIts) {
  const std::string admin = server.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string key = server.create_key("mobile", {"*"}, {ReadGrant::own()});
  for (int i = 0; i < 6; ++i)
    server.append(event_json(), with_key(i % 2 == 0 ? key : admin));
  SseClient whole{server.port(), "/v1/events/stream?after=0", with_key(admin)};
  for (std::uint64_t seq = 1; seq <= 4; ++seq)
    EXPECT_EQ(whole.next_frame()->seq(), seq);
  auto resumed = with_key(key);
  resumed.emplace_back("Last-Event-ID", "4");
  SseClient own{server.port(), "/v1/events/stream", resumed};
  EXPECT_EQ(own.next_frame()->seq(), 5U);
  EXPECT_EQ(own.next_frame()->seq(), 7U);
  EXPECT_EQ(own.next_frame()->event, "caught_up");
}

TEST_P(Access, AFilteredStreamMovesItsCursorByCheckpoints) {
  server.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string key = server.create_key("mobile", {"*"}, {ReadGrant::own()});
  server.fill(2500);
  server.append(event_json(), with_key(key));
  SseClient stream{server.port(), "/v1/events/stream?after=0", with_key(key)};
  EXPECT_EQ(stream.head().header("annals-stream"), "filtered");
  for (const char* scanned : {"1000", "2000"}) {
    const auto frame = stream.next_frame();
    EXPECT_EQ(frame->event, "checkpoint");
    EXPECT_EQ(frame->id, scanned);
    EXPECT_EQ(frame->data, R"({"scanned":)" + std::string{scanned} + "}");
  }
  EXPECT_EQ(stream.next_frame()->seq(), 2503U);
}

TEST_P(Access, ARevokedKeyEndsItsStreamsAndRequests) {
  server.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string key = server.create_key("mobile", {"*"}, {ReadGrant::all()});
  SseClient stream{server.port(), "/v1/events/stream", with_key(key)};
  EXPECT_EQ(stream.next_frame()->event, "caught_up");
  const auto begun = std::chrono::steady_clock::now();
  ASSERT_TRUE(server.log().revoke_key(server.log().local_admin(), "mobile"));
  auto frame = stream.next_frame();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->event, "revoked");
  EXPECT_FALSE(frame->id);
  EXPECT_FALSE(stream.next_frame());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds{1});
  EXPECT_EQ(server.get("/v1/events/stream", with_key(key)).status, 401);
  EXPECT_EQ(server.append(event_json(), with_key(key)).status, 401);
}

/// A new key that ends in so many seconds.
std::string create_brief_key(RunningServer& server, int seconds) {
  NewKey brief;
  brief.name = "brief for " + std::to_string(seconds);
  brief.read = {ReadGrant::all()};
  brief.expires_at = std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now() + std::chrono::seconds{seconds});
  return server.create_key(brief);
}

TEST_P(Access, TheEndOfAKeyIsAnnouncedAndEndsItsStreams) {
  server.create_key("admin", {"*"}, {ReadGrant::all()});
  std::string key;
  std::vector<SseBlock> frames;
  const auto count = [&](std::string_view event) {
    return std::ranges::count(frames, event, &SseBlock::event);
  };
  // On a machine so slow that a key ends before its stream has begun, with a longer one.
  for (int seconds = 1; count("expiring") == 0; seconds *= 2) {
    frames.clear();
    key = create_brief_key(server, seconds);
    SseClient stream{server.port(), "/v1/events/stream", with_key(key)};
    while (stream.head().status == 200) {
      auto frame = stream.next_frame();
      if (!frame) break;
      frames.push_back(std::move(*frame));
    }
  }
  EXPECT_EQ(count("expiring"), 1);
  EXPECT_EQ(count("revoked"), 1);
  EXPECT_EQ(frames.back().event, "revoked");
  EXPECT_EQ(frames.back().data, R"({"reason":"expired"})");
  for (const SseBlock& frame : frames) {
    EXPECT_EQ(frame.id.has_value(), frame.event == "caught_up");
    if (frame.event != "expiring") continue;
    const auto expires_at =
        parse_timestamp(json::parse(frame.data)["expires_at"].get<std::string>());
    ASSERT_TRUE(expires_at);
    EXPECT_GE(std::chrono::system_clock::now(), *expires_at);
  }
  EXPECT_EQ(server.get("/v1/events/stream", with_key(key)).status, 401);
  EXPECT_THAT(server.get("/metrics").body,
              testing::HasSubstr(R"(annals_subscriber_disconnects_total{reason="expired"})"));
}

TEST_P(Access, TheEndOfAKeyEndsLongPollsAsWell) {
  server.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string key = create_brief_key(server, 1);
  // Answered because the key ends, or never begun: either way nothing is waited for any longer.
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(server.get("/v1/events?from=latest&wait=60s", with_key(key)).status, 401);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds{60});
}

TEST_P(Access, AKeyThatIsNarrowedEndsItsStreamsAndComesBackWithLess) {
  const std::string admin = server.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string key = server.create_key("mobile", {"*"}, {ReadGrant::all()});
  SseClient stream{server.port(), "/v1/events/stream", with_key(key)};
  EXPECT_EQ(stream.next_frame()->event, "caught_up");
  KeyChange change;
  change.read = ReadGrants{ReadGrant::own()};
  ASSERT_TRUE(server.log().change_key(server.log().local_admin(), "mobile", change));
  server.append(event_json(), with_key(admin));
  const auto last = stream.next_frame();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->event, "revoked") << "nothing that came after the change";
  EXPECT_EQ(last->data, R"({"reason":"changed"})");
  EXPECT_FALSE(last->id);
  EXPECT_FALSE(stream.next_frame());
  SseClient again{server.port(), "/v1/events/stream?after=0", with_key(key)};
  EXPECT_EQ(again.head().status, 200) << "the key itself holds";
  EXPECT_EQ(again.head().header("annals-stream"), "filtered");
  EXPECT_EQ(again.next_frame()->event, "caught_up") << "and sees nothing of the others any more";
}

TEST_P(Access, AKeyThatIsWidenedComesBackWithMore) {
  server.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string key = server.create_key("mobile", {"*"}, {ReadGrant::own()});
  SseClient stream{server.port(), "/v1/events/stream", with_key(key)};
  EXPECT_EQ(stream.next_frame()->event, "caught_up");
  KeyChange change;
  change.read = ReadGrants{ReadGrant::all()};
  ASSERT_TRUE(server.log().change_key(server.log().local_admin(), "mobile", change));
  EXPECT_EQ(stream.next_frame()->data, R"({"reason":"changed"})");
  EXPECT_FALSE(stream.next_frame());
  EXPECT_EQ(server.get("/v1/streams", with_key(key)).status, 200);
}

TEST_P(Access, WhatAReaderDoesNotHaveChangesNothingForIt) {
  server.create_key("admin", {"*"}, {ReadGrant::all()});
  NewKey brief;
  brief.name = "mobile";
  brief.append = {"*"};
  brief.read = {ReadGrant::all()};
  brief.expires_at = std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now() + std::chrono::hours{2});
  const std::string key = server.create_key(brief);
  SseClient stream{server.port(), "/v1/events/stream", with_key(key)};
  EXPECT_EQ(stream.next_frame()->event, "caught_up");
  KeyChange change;
  change.append = AllowedTypes{"test.*"};
  change.expires_at = std::optional<Timestamp>{};
  change.from = AddressRanges{*parse_address_range("127.0.0.1")};
  ASSERT_TRUE(server.log().change_key(server.log().local_admin(), "mobile", change));
  server.append(event_json(), with_key(key));
  EXPECT_EQ(json::parse(stream.next_frame()->data)["type"], "access.key_changed");
  EXPECT_EQ(json::parse(stream.next_frame()->data)["type"], "test.made");
  EXPECT_EQ(server.append(R"({"type":"order.paid"})", with_key(key)).status, 403);
}

TEST_P(Access, AKeyThatMayNoLongerBeUsedFromHereEnds) {
  server.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string key = server.create_key("mobile", {}, {ReadGrant::all()});
  SseClient stream{server.port(), "/v1/events/stream", with_key(key)};
  EXPECT_EQ(stream.next_frame()->event, "caught_up");
  KeyChange change;
  change.from = AddressRanges{*parse_address_range("10.0.0.0/8")};
  ASSERT_TRUE(server.log().change_key(server.log().local_admin(), "mobile", change));
  EXPECT_EQ(stream.next_frame()->event, "revoked");
  EXPECT_FALSE(stream.next_frame());
  EXPECT_EQ(server.get("/v1/events/stream", with_key(key)).status, 401);
}

TEST_P(Access, LinesOfNdjsonEndWithTheRightToAppendThem) {
  server.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string key = server.create_key("bulk", {"*"}, {});
  HttpClient client{server.port()};
  client.send("POST /v1/events HTTP/1.1\r\nHost: localhost\r\nX-API-Key: " + key +
              "\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n");
  bool begun = false;
  const auto send_line = [&] {
    const std::string line = event_json() + "\n";
    std::ostringstream size;
    size << std::hex << line.size();
    client.send(size.str() + "\r\n" + line + "\r\n");
    // The head comes with the first answer.
    if (!std::exchange(begun, true)) {
      EXPECT_EQ(client.read_head().status, 200);
    }
    client.read_line();  // the size of the chunk
    const auto answer = client.read_line();
    client.read_line();  // the end of the chunk
    return json::parse(answer.value());
  };
  EXPECT_TRUE(send_line().contains("seq"));
  KeyChange change;
  change.append = AllowedTypes{"order.*"};
  ASSERT_TRUE(server.log().change_key(server.log().local_admin(), "bulk", change));
  // Within a second the change is known to what is under way.
  const auto changed = std::chrono::steady_clock::now();
  json answer = send_line();
  while (answer.contains("seq") &&
         std::chrono::steady_clock::now() - changed < std::chrono::seconds{20})
    answer = send_line();
  EXPECT_EQ(answer["code"], "not_authenticated");
}

TEST(AccessAhead, OnlyWhatEndsSoonIsAnnounced) {
  server::ServerOptions options;
  options.subscriber_keepalive = std::chrono::milliseconds{100};
  options.subscriber_expiring_before = std::chrono::minutes{1};
  RunningServer server{Backend::memory, options};
  NewKey key;
  key.name = "admin";
  key.read = {ReadGrant::all()};
  key.expires_at = std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now() +
                                                                 std::chrono::hours{1});
  SseClient stream{server.port(), "/v1/events/stream", with_key(server.create_key(key))};
  EXPECT_EQ(stream.next_frame()->event, "caught_up");
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(stream.next()->comment, "keepalive");
}

TEST_P(Access, TheTraceContextIsForAgents) {
  const std::string admin = server.create_key("admin", {"*"}, {ReadGrant::all()});
  const auto reads_types = [&](const std::string& name, const std::string& principal) {
    NewKey key;
    key.name = name;
    key.read = {*parse_read_grant("type=test.*")};
    key.principal = principal;
    return server.create_key(key);
  };
  const std::string agent = reads_types("bot", "agent/7");
  const std::string person = reads_types("alex", "user/agent/7");
  SseClient agents{server.port(), "/v1/events/stream", with_key(agent)};
  SseClient persons{server.port(), "/v1/events/stream", with_key(person)};
  EXPECT_EQ(agents.next_frame()->event, "caught_up");
  EXPECT_EQ(persons.next_frame()->event, "caught_up");
  server.append(event_json(),
                {{"X-API-Key", admin},
                 {"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}});
  EXPECT_TRUE(json::parse(agents.next_frame()->data).contains("trace_context"));
  EXPECT_FALSE(json::parse(persons.next_frame()->data).contains("trace_context"));
  // Live, from the store, and on a page alike.
  SseClient replay{server.port(), "/v1/events/stream?after=3", with_key(agent)};
  EXPECT_TRUE(json::parse(replay.next_frame()->data).contains("trace_context"));
  EXPECT_TRUE(parsed(server.get("/v1/events/4", with_key(agent))).contains("trace_context"));
  EXPECT_FALSE(parsed(server.get("/v1/events/4", with_key(person))).contains("trace_context"));
  EXPECT_EQ(server.get("/v1/events/4?form=meta", with_key(agent)).status, 403)
      << "the exact part says more than that";
}

TEST_P(Access, TheTraceContextIsForReadersOfEverything) {
  const std::string admin = server.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string key = server.create_key("mobile", {"*"}, {ReadGrant::own()});
  server.append(event_json(),
                {{"X-API-Key", key},
                 {"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}});
  EXPECT_TRUE(parsed(server.get("/v1/events/3", with_key(admin))).contains("trace_context"));
  EXPECT_FALSE(parsed(server.get("/v1/events/3", with_key(key))).contains("trace_context"));
  SseClient live{server.port(), "/v1/events/stream?after=2", with_key(key)};
  EXPECT_FALSE(json::parse(live.next_frame()->data).contains("trace_context"));
}

INSTANTIATE_TEST_SUITE_P(Backends, Access, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

TEST(OpenMode, IsForThisMachineOnly) {
  TestLog log{Backend::memory};
  server::ServerOptions options;
  options.listen = "0.0.0.0:0";
  server::Server server{*log, options};
  const auto port = server.start();
  ASSERT_FALSE(port);
  EXPECT_EQ(port.error().code, ErrorCode::invalid_request);
  NewKey key;
  key.name = "admin";
  key.read = {ReadGrant::all()};
  ASSERT_TRUE(log->create_key(log->local_admin(), key));
  server::Server open{*log, options};
  EXPECT_TRUE(open.start());
}

}  // namespace
}  // namespace annals::test
