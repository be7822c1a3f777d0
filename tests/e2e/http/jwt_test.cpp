// JSON Web Tokens instead of keys.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "testing/token_mint.hpp"
#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* own_grants = R"({"append":["test.*"],"read":["own"]})";
constexpr const char* all_grants = R"({"append":["*"],"read":["all"]})";

HttpClient::Fields bearer(const std::string& token) {
  return {{"Authorization", "Bearer " + token}};
}

server::ServerOptions taking(const TokenMint& mint, server::ServerOptions options = {}) {
  options.jwt.algorithm = mint.name();
  options.jwt.key_file = mint.key_file();
  return options;
}

class Tokens : public testing::TestWithParam<Backend> {
 public:
  std::vector<Key> keys() { return server.log().keys().value(); }
  Uuid key_of(std::uint64_t seq) { return server.log().find(seq)->header.key_id; }
  bool revoke(const std::string& name) {
    return server.log().revoke_key(server.log().local_admin(), name).has_value();
  }

  const TokenMint mint{TokenMint::Algorithm::eddsa};
  RunningServer server{GetParam(), taking(mint)};
};

void expect_to_append_read_and_follow(RunningServer& server, const TokenMint& mint) {
  const std::string token = mint.token_for("alex", own_grants);
  EXPECT_EQ(server.append(event_json(), bearer(token)).status, 201);
  EXPECT_EQ(server.append(event_json(), {{"X-API-Key", token}}).status, 201);
  EXPECT_EQ(server.append(R"({"type":"order.paid"})", bearer(token)).status, 403);
  EXPECT_THAT(seqs(read_all(server, 0, bearer(token))), ElementsAre(2, 3));
  EXPECT_EQ(server.get("/v1/events/1", bearer(token)).status, 404) << "the event of its key";
  SseClient stream{server.port(), "/v1/events/stream?after=0", bearer(token)};
  EXPECT_EQ(stream.head().header("annals-stream"), "filtered");
  EXPECT_EQ(stream.next_frame()->seq(), 2U);
  EXPECT_EQ(stream.next_frame()->seq(), 3U);
  EXPECT_EQ(stream.next_frame()->event, "caught_up");
  EXPECT_THAT(seqs(read_all(server, 0, bearer(mint.token_for("sam", own_grants)))), IsEmpty());
  const std::string admin = mint.token_for("admin", R"({"read":["all"]})");
  EXPECT_THAT(read_all(server, 0, bearer(admin)), SizeIs(3));
  EXPECT_EQ(server.get("/v1/streams", bearer(admin)).status, 200);
  EXPECT_EQ(server.append(event_json(), bearer(admin)).status, 403);
}

TEST_P(Tokens, SignedWithEd25519AppendReadAndFollow) {
  expect_to_append_read_and_follow(server, mint);
}

TEST_P(Tokens, SignedWithHmacAppendReadAndFollow) {
  const TokenMint hmac{TokenMint::Algorithm::hs256};
  RunningServer other{GetParam(), taking(hmac)};
  expect_to_append_read_and_follow(other, hmac);
}

TEST_P(Tokens, EndOpenMode) {
  const auto refused = server.get("/v1/events");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.header("www-authenticate"), "Bearer");
  EXPECT_EQ(server.append(event_json()).status, 401);
  EXPECT_EQ(server.get("/v1/events/stream").status, 401);
  EXPECT_EQ(server.get("/healthz").status, 200);
  server::ServerOptions anywhere = taking(mint);
  anywhere.listen = "0.0.0.0:0";
  anywhere.threads = 1;
  server::Server open{server.log(), anywhere};
  EXPECT_TRUE(open.start()) << "there is something to be authenticated with";
}

TEST_P(Tokens, StandBesideKeys) {
  const std::string key = server.create_key("mobile", {"*"}, {ReadGrant::all()});
  EXPECT_EQ(server.append(event_json(), {{"X-API-Key", key}}).status, 201);
  EXPECT_EQ(server.append(event_json(), bearer(mint.token_for("alex", own_grants))).status, 201);
  EXPECT_EQ(
      server
          .get("/v1/events", {{"X-API-Key", key},
                              {"Authorization", "Bearer " + mint.token_for("alex", own_grants)}})
          .status,
      401);
}

TEST_P(Tokens, ThatDoNotHoldAreRefusedWithoutAWordOfThem) {
  const std::string good = mint.token_for("alex", all_grants);
  const TokenMint other{TokenMint::Algorithm::eddsa};
  for (const std::string& token :
       {mint.token_for("alex", all_grants, seconds{-1}), other.token_for("alex", all_grants),
        good + "A", good.substr(0, good.rfind('.') + 1),
        mint.token_for("alex", R"({"read":["everything"]})"),
        mint.token_for("alex", R"({"admin":true})"), std::string{"a.b.c"}, std::string{"a.b"}}) {
    for (const char* target : {"/v1/events", "/v1/events/stream", "/v1/log"}) {
      const auto answer = server.get(target, bearer(token));
      EXPECT_EQ(answer.status, 401) << token;
      EXPECT_EQ(parsed(answer)["code"], "not_authenticated");
      EXPECT_EQ(answer.header("www-authenticate"), "Bearer");
      EXPECT_THAT(answer.body, Not(HasSubstr(token)));
      EXPECT_THAT(answer.body, Not(HasSubstr("alex")));
    }
    EXPECT_EQ(server.append(event_json(), bearer(token)).status, 401);
  }
  EXPECT_THAT(keys(), IsEmpty());
}

TEST_P(Tokens, AreNotTakenUnlessTheyAreConfigured) {
  RunningServer other{GetParam()};
  other.create_key("admin", {"*"}, {ReadGrant::all()});
  EXPECT_EQ(other.get("/v1/log", bearer(mint.token_for("alex", all_grants))).status, 401);
}

TEST_P(Tokens, MakeAKeyWithTheFirstAppendOnly) {
  const std::string token = mint.token_for("alex", own_grants);
  EXPECT_EQ(server.get("/v1/events", bearer(token)).status, 200);
  EXPECT_EQ(server.get("/v1/log", bearer(token)).status, 200);
  EXPECT_EQ(server.append("{", bearer(token)).status, 400) << "no event";
  auto lines = bearer(token);
  lines.emplace_back("Content-Type", "application/x-ndjson");
  EXPECT_EQ(server.request("POST", "/v1/events", lines, "{\n").status, 200) << "nor is that";
  {
    SseClient stream{server.port(), "/v1/events/stream", bearer(token)};
    EXPECT_EQ(stream.next_frame()->event, "caught_up");
  }
  EXPECT_THAT(keys(), IsEmpty());
  EXPECT_EQ(server.append(event_json(), bearer(token)).status, 201);
  ASSERT_THAT(keys(), SizeIs(1));
  EXPECT_EQ(keys().front().name, "jwt:alex");
  EXPECT_EQ(server.log().find(1)->header.type, "access.key_created");
  EXPECT_EQ(key_of(2), keys().front().key_id);
  EXPECT_EQ(server.append(event_json(), bearer(mint.token_for("alex", all_grants))).status, 201);
  EXPECT_EQ(key_of(3), key_of(2)) << "another token of the same subject";
  EXPECT_EQ(server.append(event_json(), bearer(mint.token_for("sam", own_grants))).status, 201);
  EXPECT_THAT(keys(), SizeIs(2));
}

TEST_P(Tokens, OfOneSubjectMakeOneKeyHoweverManyAppendFirst) {
  constexpr int many = 12;
  const std::string token = mint.token_for("alex", own_grants);
  {
    std::vector<std::jthread> threads;
    threads.reserve(many);
    for (int i = 0; i < many; ++i) {
      threads.emplace_back(
          [&] { EXPECT_EQ(server.append(event_json(), bearer(token)).status, 201); });
    }
  }
  ASSERT_THAT(keys(), SizeIs(1));
  EXPECT_EQ(server.log().state()->event_seq, many + 1U);
  for (std::uint64_t seq = 2; seq <= many + 1U; ++seq)
    EXPECT_EQ(key_of(seq), keys().front().key_id);
}

TEST_P(Tokens, KeepTheKeyOfTheirSubjectOverARestart) {
  const std::string token = mint.token_for("alex", own_grants);
  EXPECT_EQ(server.append(event_json(), bearer(token)).status, 201);
  server.restart();
  EXPECT_EQ(server.append(event_json(), bearer(token)).status, 201);
  EXPECT_THAT(keys(), SizeIs(1));
  EXPECT_THAT(seqs(read_all(server, 0, bearer(token))), ElementsAre(2, 3));
}

TEST_P(Tokens, AppendNdjsonFromTheFirstLineOn) {
  auto fields = bearer(mint.token_for("alex", own_grants));
  fields.emplace_back("Content-Type", "application/x-ndjson");
  std::string body;
  for (int i = 0; i < 100; ++i)
    body += i == 50 ? "{\"type\":\"order.paid\"}\n" : event_json() + "\n";
  const auto answer = server.request("POST", "/v1/events", fields, body);
  EXPECT_EQ(answer.status, 200);
  std::istringstream lines{answer.body};
  std::string line;
  int stored = 0;
  int refused = 0;
  while (std::getline(lines, line)) {
    const auto parsed = json::parse(line);
    stored += parsed.contains("seq") ? 1 : 0;
    refused += parsed.value("code", "") == "not_allowed" ? 1 : 0;
  }
  EXPECT_EQ(stored, 99);
  EXPECT_EQ(refused, 1);
  ASSERT_THAT(keys(), SizeIs(1));
  EXPECT_EQ(key_of(2), keys().front().key_id);
}

TEST_P(Tokens, AStreamShowsTheSubjectsOwnEventsFromItsFirstOn) {
  const auto own = bearer(mint.token_for("alex", own_grants));
  SseClient stream{server.port(), "/v1/events/stream", own};
  EXPECT_EQ(stream.next_frame()->event, "caught_up");
  server.append(event_json(), bearer(mint.token_for("sam", own_grants)));
  EXPECT_EQ(server.append(event_json(), own).status, 201);
  EXPECT_EQ(server.append(event_json(), own).status, 201);
  EXPECT_EQ(stream.next_frame()->seq(), 4U) << "behind the keys of both and the event of the other";
  EXPECT_EQ(stream.next_frame()->seq(), 5U);
}

TEST_P(Tokens, ALongPollShowsTheSubjectsFirstEvent) {
  const auto own = bearer(mint.token_for("alex", own_grants));
  HttpClient client{server.port()};
  client.send_request("GET", "/v1/events?after=0&wait=60s", own);
  // Its key was looked for, and there was none, when it takes its place.
  while (server.server().subscribers() == 0)
    std::this_thread::yield();
  EXPECT_EQ(server.append(event_json(), own).status, 201);
  const auto page = parsed(client.read_response());
  ASSERT_EQ(page["events"].size(), 1U) << page;
  EXPECT_EQ(page["events"][0]["seq"], 2);
}

TEST_P(Tokens, SeeWhatIsAddressedToTheirSubject) {
  const auto reader = bearer(mint.token_for("user/42", R"({"read":["type=test.*"]})"));
  const auto other = bearer(mint.token_for("user/43", R"({"read":["type=test.*"]})"));
  const auto writer = bearer(mint.token_for("writer", all_grants));
  server.append(event_json("{}", R"(,"audience":"user/42")"), writer);
  EXPECT_THAT(seqs(read_all(server, 0, reader)), ElementsAre(2));
  EXPECT_THAT(read_all(server, 0, other), IsEmpty());
}

TEST_P(Tokens, EndTheirStreamsWhenTheyEnd) {
  std::string token;
  std::vector<SseBlock> frames;
  const auto count = [&](std::string_view event) {
    return std::ranges::count(frames, event, &SseBlock::event);
  };
  // On a machine so slow that a token ends before its stream has begun, with a longer one.
  for (seconds length{1}; count("expiring") == 0; length *= 2) {
    frames.clear();
    token = mint.token_for("alex", own_grants, length);
    SseClient stream{server.port(), "/v1/events/stream", bearer(token)};
    while (stream.head().status == 200) {
      auto frame = stream.next_frame();
      if (!frame) break;
      frames.push_back(std::move(*frame));
    }
  }
  EXPECT_EQ(count("expiring"), 1);
  EXPECT_EQ(count("revoked"), 1);
  EXPECT_EQ(frames.back().data, R"({"reason":"expired"})");
  EXPECT_EQ(server.get("/v1/events/stream", bearer(token)).status, 401);
}

TEST_P(Tokens, EndTheirStreamsWhenTheSubjectIsRevoked) {
  const auto alex = bearer(mint.token_for("alex", all_grants));
  const auto sam = bearer(mint.token_for("sam", all_grants));
  EXPECT_EQ(server.append(event_json(), alex).status, 201);
  SseClient stream{server.port(), "/v1/events/stream", alex};
  SseClient other{server.port(), "/v1/events/stream", sam};
  EXPECT_EQ(stream.next_frame()->event, "caught_up");
  EXPECT_EQ(other.next_frame()->event, "caught_up");
  const auto begun = std::chrono::steady_clock::now();
  ASSERT_TRUE(revoke("jwt:alex"));
  const auto frame = stream.next_frame();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->data, R"({"reason":"revoked"})");
  EXPECT_FALSE(stream.next_frame());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, seconds{1});
  EXPECT_EQ(server.get("/v1/events/stream", alex).status, 401);
  EXPECT_EQ(server.append(event_json(), alex).status, 401);
  EXPECT_EQ(server.append(event_json(), bearer(mint.token_for("alex", own_grants))).status, 401)
      << "a new token changes nothing";
  EXPECT_EQ(other.next_frame()->seq(), 3U) << "who is not concerned reads on";
}

TEST_P(Tokens, OfASubjectThatNeverAppendedAreRevokedAsWell) {
  const auto reader = bearer(mint.token_for("alex", all_grants));
  SseClient stream{server.port(), "/v1/events/stream", reader};
  EXPECT_EQ(stream.next_frame()->event, "caught_up");
  ASSERT_TRUE(revoke("jwt:alex"));
  EXPECT_EQ(stream.next_frame()->data, R"({"reason":"revoked"})");
  EXPECT_FALSE(stream.next_frame());
  EXPECT_EQ(server.get("/v1/log", reader).status, 401);
  EXPECT_EQ(server.append(event_json(), reader).status, 401);
}

TEST_P(Tokens, MakeTicketsThatStandForThem) {
  const auto own = bearer(mint.token_for("alex", own_grants));
  const auto ticket = [&] {
    return parsed(server.request("POST", "/v1/tickets", own))["ticket"].get<std::string>();
  };
  EXPECT_EQ(server.append(event_json(), {}, "/v1/events?ticket=" + ticket()).status, 201);
  SseClient stream{server.port(), "/v1/events/stream?after=0&ticket=" + ticket()};
  EXPECT_EQ(stream.next_frame()->seq(), 2U);
  const std::string left = ticket();
  ASSERT_TRUE(revoke("jwt:alex"));
  EXPECT_EQ(server.get("/v1/log?ticket=" + left).status, 401);
}

TEST_P(Tokens, CountAsOneKeyForLimitsWhetherThereIsOneOrNot) {
  server::ServerOptions options;
  options.subscriber_max_per_key = 1;
  options.rate_key_events = 1;
  options.rate_burst = seconds{3600};
  RunningServer small{GetParam(), taking(mint, options)};
  const auto alex = bearer(mint.token_for("alex", own_grants));
  SseClient stream{small.port(), "/v1/events/stream", alex};
  EXPECT_EQ(small.get("/v1/events/stream", alex).status, 503);
  SseClient other{small.port(), "/v1/events/stream", bearer(mint.token_for("sam", own_grants))};
  EXPECT_EQ(other.head().status, 200);
  EXPECT_EQ(small.append(event_json(), alex).status, 201);
  EXPECT_EQ(small.get("/v1/events/stream", alex).status, 503);
  std::string array = "[" + event_json();
  for (int i = 0; i < 900; ++i)
    array += "," + event_json();
  array += "]";
  int status = 201;
  for (int i = 0; i < 100 && status == 201; ++i)
    status = small.append(array, alex).status;
  EXPECT_EQ(status, 429);
}

INSTANTIATE_TEST_SUITE_P(Backends, Tokens, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

TEST(TokenLog, NeverHoldsOne) {
  std::ostringstream lines;
  const TokenMint mint{TokenMint::Algorithm::hs256};
  const std::string good = mint.token_for("alex", all_grants);
  const std::string bad = mint.token_for("alex", all_grants, seconds{-1});
  {
    TestLog log{Backend::memory};
    server::ServerOptions options = taking(mint);
    options.listen = "127.0.0.1:0";
    auto logger = std::make_shared<spdlog::logger>(
        "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(lines));
    server::Server server{*log, options, logger};
    const auto port = server.start();
    ASSERT_TRUE(port);
    HttpClient client{*port};
    EXPECT_EQ(client.request("GET", "/v1/log", bearer(good)).status, 200);
    EXPECT_EQ(client.request("GET", "/v1/log", bearer(bad)).status, 401);
    auto fields = bearer(good);
    fields.emplace_back("Content-Type", "application/json");
    EXPECT_EQ(client.request("POST", "/v1/events", fields, event_json()).status, 201);
    const auto metrics = client.request("GET", "/metrics").body;
    EXPECT_THAT(metrics, HasSubstr(R"(annals_http_requests_total{code="401"} 1)"));
    EXPECT_THAT(metrics, Not(HasSubstr("alex")));
  }
  EXPECT_THAT(lines.str(), HasSubstr("path=/v1/log status=401"));
  for (const std::string& token : {good, bad}) {
    EXPECT_THAT(lines.str(), Not(HasSubstr(token)));
    EXPECT_THAT(lines.str(), Not(HasSubstr(token.substr(token.rfind('.')))));
  }
  EXPECT_THAT(lines.str(), Not(HasSubstr("alex")));
}

TEST(TokenOptions, ThatCannotBeUsedKeepTheServerFromStarting) {
  const TokenMint mint{TokenMint::Algorithm::hs256};
  TestLog log{Backend::memory};
  const auto error_of = [&](const server::JwtOptions& jwt) {
    server::ServerOptions options;
    options.listen = "127.0.0.1:0";
    options.jwt = jwt;
    server::Server server{*log, options};
    const auto port = server.start();
    EXPECT_FALSE(port);
    return port ? std::string{} : port.error().detail;
  };
  server::JwtOptions jwt;
  jwt.key_file = mint.key_file();
  EXPECT_THAT(error_of(jwt), HasSubstr("jwt.algorithm"));
  jwt.algorithm = "EdDSA";
  EXPECT_THAT(error_of(jwt), HasSubstr("Ed25519")) << "a secret is no public key";
  jwt.algorithm = "RS256";
  EXPECT_THAT(error_of(jwt), HasSubstr("jwt.algorithm"));
  jwt.algorithm = "HS256";
  jwt.key_file = "/nowhere/secret";
  EXPECT_THAT(error_of(jwt), HasSubstr("/nowhere/secret"));
  jwt.key_file.clear();
  EXPECT_THAT(error_of(jwt), HasSubstr("jwt.key_file"));
}

}  // namespace
}  // namespace annals::test
