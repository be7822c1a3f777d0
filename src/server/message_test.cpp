#include "server/message.hpp"

#include <gtest/gtest.h>

#include "server/access.hpp"
#include "server/listener.hpp"
#include "server/routes.hpp"

namespace annals::server {
namespace {

TEST(Accept, TakesRangesAndHeedsARefusal) {
  EXPECT_TRUE(accepts(std::nullopt, "application/json"));
  EXPECT_TRUE(accepts("", "application/json"));
  EXPECT_TRUE(accepts("*/*", "application/json"));
  EXPECT_TRUE(accepts("text/html, Application/*;q=0.5", "application/json"));
  EXPECT_FALSE(accepts("text/html", "application/json"));
  EXPECT_FALSE(accepts("application/json;q=0", "application/json"));
  EXPECT_FALSE(accepts("application/json; q=0.000", "application/json"));
  EXPECT_TRUE(names("text/event-stream, */*", "text/event-stream"));
  EXPECT_FALSE(names("*/*", "text/event-stream"));
  EXPECT_FALSE(names("text/event-stream;q=0", "text/event-stream"));
}

TEST(MediaType, IsWithoutParameters) {
  EXPECT_EQ(media_type(" Application/JSON ; charset=utf-8"), "application/json");
  EXPECT_EQ(media_type(""), "");
}

TEST(ProblemResponse, SaysWhenToComeBack) {
  const auto retry = [](const Error& error) {
    for (const Field& field : problem(error).fields) {
      if (field.name == "Retry-After") return field.value;
    }
    return std::string{};
  };
  EXPECT_EQ(retry({ErrorCode::busy, "", {}, std::chrono::milliseconds{1500}}), "2");
  EXPECT_EQ(retry({ErrorCode::frozen, "", {}, {}}), "1");
  EXPECT_EQ(retry({ErrorCode::store_unavailable, "", {}, {}}), "1");
  EXPECT_EQ(retry({ErrorCode::invalid_event, "", {}, {}}), "");
}

TEST(HeadBytes, HaveWhatEveryAnswerHas) {
  Response response;
  response.fields.push_back({"Allow", "GET"});
  const std::string head = head_bytes(response, 5, true);
  EXPECT_TRUE(
      head.starts_with("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                       "Content-Length: 5\r\nX-Content-Type-Options: nosniff\r\nDate: "));
  EXPECT_TRUE(head.ends_with(" GMT\r\nAllow: GET\r\nConnection: keep-alive\r\n\r\n"));
  EXPECT_EQ(head_bytes(response, std::nullopt, false).find("Content-Length"), std::string::npos);
}

TEST(LoopbackHost, IsRecognised) {
  for (const char* host : {"localhost", "localhost:7420", "127.0.0.1", "127.0.0.1:80", "127.1.2.3",
                           "[::1]", "[::1]:7420", "::1"}) {
    EXPECT_TRUE(is_loopback_host(host)) << host;
  }
  for (const char* host : {"", "example.com", "localhost.example.com", "127.0.0.1.example.com",
                           "127.example", "10.0.0.1", "[::2]", "[::1", "0.0.0.0"}) {
    EXPECT_FALSE(is_loopback_host(host)) << host;
  }
}

TEST(ListenAddress, IsReadStrictly) {
  EXPECT_EQ(parse_listen("127.0.0.1:7420")->port, 7420);
  EXPECT_TRUE(parse_listen("localhost:0")->loopback);
  EXPECT_TRUE(parse_listen("[::1]:1")->loopback);
  EXPECT_FALSE(parse_listen("0.0.0.0:1")->loopback);
  EXPECT_FALSE(parse_listen("[::]:1")->loopback);
  for (const char* text : {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
                           "::1:80", "example.com:80", "127.0.0.1:-1"}) {
    EXPECT_FALSE(parse_listen(text)) << text;
  }
}

TEST(AccessStateTest, HoldsUntilTheKeyDoesNot) {
  const Timestamp now{std::chrono::microseconds{1'000'000}};
  Key key;
  key.key_id.bytes[0] = 1;
  key.read = {ReadGrant::own()};
  AccessState state;
  state.keys.emplace(key.key_id, key);
  Caller caller;
  caller.key_id = key.key_id;
  caller.read = {ReadGrant::own()};
  EXPECT_TRUE(state.holds(caller, now));
  caller.read = {ReadGrant::own(), *parse_read_grant("channel=c1")};
  EXPECT_FALSE(state.holds(caller, now)) << "narrowed";
  caller.read = {};
  EXPECT_TRUE(state.holds(caller, now)) << "widened";
  caller.read = {ReadGrant::own()};
  caller.principal = "user/42";
  EXPECT_FALSE(state.holds(caller, now)) << "another principal";
  caller.principal.reset();
  state.keys.begin()->second.expires_at = now;
  EXPECT_FALSE(state.holds(caller, now)) << "expired";
  state.keys.begin()->second.expires_at.reset();
  state.keys.begin()->second.revoked_at = now;
  EXPECT_FALSE(state.holds(caller, now)) << "revoked";
  caller.key_id.bytes[0] = 2;
  EXPECT_TRUE(state.holds(caller, now)) << "newer than what is known here";
  const ReadRights anybody{.open_mode = true};
  EXPECT_FALSE(state.holds(anybody, now));
  state.open_mode = true;
  EXPECT_TRUE(state.holds(anybody, now));
}

TEST(AccessStateTest, HoldsATokenUntilItEndsOrItsSubjectIsRevoked) {
  const Timestamp now{std::chrono::microseconds{1'000'000}};
  Caller caller;
  caller.subject = caller.principal = "alex";
  caller.read = {ReadGrant::own()};
  caller.expires_at = now + std::chrono::seconds{1};
  AccessState state;
  EXPECT_TRUE(state.holds(caller, now)) << "without a key";
  EXPECT_EQ(state.key_of(caller), nullptr);
  EXPECT_FALSE(state.holds(caller, *caller.expires_at));
  EXPECT_EQ(caller.viewer().keyless, "alex");
  Key key;
  key.key_id.bytes[0] = 1;
  key.name = "jwt:alex";
  state.add(key);
  ASSERT_NE(state.key_of(caller), nullptr);
  EXPECT_EQ(state.key_of(caller)->key_id, key.key_id);
  EXPECT_TRUE(state.holds(caller, now)) << "the key's rights are not those that count";
  EXPECT_TRUE(state.reads_the_same(caller));
  EXPECT_EQ(state.expires_at(caller), caller.expires_at) << "nor its end";
  EXPECT_FALSE(state.holds(caller, *caller.expires_at));
  state.keys.begin()->second.revoked_at = now;
  EXPECT_FALSE(state.holds(caller, now));
  EXPECT_TRUE(state.revoked(caller));
  caller.subject = "sam";
  EXPECT_TRUE(state.holds(caller, now)) << "another subject";
  EXPECT_FALSE(state.revoked(caller));
}

TEST(Routes, AreDocumentedAndUnique) {
  std::vector<std::string> seen;
  for (const Route& route : routes()) {
    EXPECT_FALSE(route.summary.empty());
    EXPECT_NE(route.handler, nullptr);
    seen.push_back(std::string{to_string(route.method)} + ' ' + std::string{route.pattern});
  }
  std::ranges::sort(seen);
  EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
}

}  // namespace
}  // namespace annals::server
