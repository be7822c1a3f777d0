// Tickets: what stands once for a key, in the query.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <chrono>
#include <sstream>
#include <string>

#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

HttpClient::Fields with_key(const std::string& key) {
  return {{"X-API-Key", key}};
}

class Tickets : public testing::TestWithParam<Backend> {
 public:
  RunningServer server{GetParam()};

  std::string ticket(const HttpClient::Fields& fields) const {
    const auto answer = server.request("POST", "/v1/tickets", fields);
    EXPECT_EQ(answer.status, 201) << answer.body;
    return parsed(answer)["ticket"];
  }

  int status(const std::string& target, const HttpClient::Fields& fields = {}) const {
    return server.get(target, fields).status;
  }
};

TEST_P(Tickets, StandOnceForTheKey) {
  const std::string key = server.create_key("admin", {"*"}, {ReadGrant::all()});
  const auto answer = server.request("POST", "/v1/tickets", with_key(key));
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.header("cache-control"), "no-store");
  const std::string ticket = parsed(answer)["ticket"];
  const auto expires_at = parse_timestamp(parsed(answer)["expires_at"].get<std::string>());
  ASSERT_TRUE(expires_at);
  EXPECT_LE(*expires_at, std::chrono::system_clock::now() + std::chrono::seconds{60});
  SseClient stream{server.port(), "/v1/events/stream?after=0&ticket=" + ticket};
  EXPECT_EQ(stream.head().status, 200);
  EXPECT_EQ(stream.head().header("annals-stream"), "complete");
  EXPECT_EQ(stream.next_frame()->seq(), 1U);
  const auto again = server.get("/v1/events/stream?after=0&ticket=" + ticket);
  EXPECT_EQ(again.status, 401);
  EXPECT_EQ(parsed(again)["code"], "not_authenticated");
}

TEST_P(Tickets, DoForEveryCallThatTakesAKey) {
  const std::string key = server.create_key("admin", {"*"}, {ReadGrant::all()});
  server.append(event_json("{}", R"(,"stream":"s")"), with_key(key));
  for (const char* target :
       {"/v1/events?ticket=", "/v1/events?type=test.*&ticket=", "/v1/events/2?ticket=",
        "/v1/streams?ticket=", "/v1/streams/s?ticket=", "/v1/streams/s/events?ticket=",
        "/v1/streams/s/verify?ticket=", "/v1/log?ticket="}) {
    EXPECT_EQ(status(target + ticket(with_key(key))), 200) << target;
    EXPECT_EQ(status(target + std::string{"x"}), 401) << target;
    EXPECT_EQ(status(target), 401) << "an empty one is none";
  }
  EXPECT_EQ(server.append(event_json(), {}, "/v1/events?ticket=" + ticket(with_key(key))).status,
            201);
  EXPECT_EQ(server.append(event_json(), {}, "/v1/events?ticket=x").status, 401);
}

TEST_P(Tickets, AllowWhatTheKeyAllows) {
  server.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string key = server.create_key("mobile", {"order.*"}, {ReadGrant::own()});
  server.append(R"({"type":"order.paid"})", with_key(key));
  SseClient stream{server.port(), "/v1/events/stream?after=0&ticket=" + ticket(with_key(key))};
  EXPECT_EQ(stream.head().header("annals-stream"), "filtered");
  EXPECT_EQ(stream.next_frame()->seq(), 3U);
  EXPECT_EQ(status("/v1/streams?ticket=" + ticket(with_key(key))), 403);
  EXPECT_EQ(
      server.append(R"({"type":"query.made"})", {}, "/v1/events?ticket=" + ticket(with_key(key)))
          .status,
      403);
}

TEST_P(Tickets, AreWorthNothingOnceTheKeyIsRevoked) {
  server.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string key = server.create_key("mobile", {}, {ReadGrant::all()});
  const std::string before = ticket(with_key(key));
  const std::string opened = ticket(with_key(key));
  SseClient stream{server.port(), "/v1/events/stream?ticket=" + opened};
  EXPECT_EQ(stream.next_frame()->event, "caught_up");
  ASSERT_TRUE(server.log().revoke_key(server.log().local_admin(), "mobile"));
  EXPECT_EQ(status("/v1/events/stream?ticket=" + before), 401);
  EXPECT_EQ(stream.next_frame()->event, "revoked") << "what was opened with one ends as well";
  EXPECT_FALSE(stream.next_frame());
  EXPECT_EQ(server.request("POST", "/v1/tickets", with_key(key)).status, 401);
}

TEST_P(Tickets, OfAKeyThatHasExpiredMeanwhileAreRefused) {
  server.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string key = server.create_key("brief", {}, {ReadGrant::all()});
  const std::string made = ticket(with_key(key));
  // Only now does it get an end, so that no machine is too slow to make the ticket before.
  KeyChange end;
  end.expires_at = std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now() +
                                                                 std::chrono::seconds{2});
  ASSERT_TRUE(server.log().change_key(server.log().local_admin(), "brief", end));
  // Until the key itself is refused.
  while (status("/v1/log", with_key(key)) == 200) {}
  EXPECT_EQ(status("/v1/log?ticket=" + made), 401);
}

TEST_P(Tickets, HoldFromTheAddressesOfTheKeyOnly) {
  server.create_key("admin", {"*"}, {ReadGrant::all()});
  NewKey elsewhere;
  elsewhere.name = "elsewhere";
  elsewhere.read = {ReadGrant::all()};
  elsewhere.from = {*parse_address_range("10.0.0.0/8")};
  EXPECT_EQ(server.request("POST", "/v1/tickets", with_key(server.create_key(elsewhere))).status,
            401);
}

TEST_P(Tickets, MakeNoTickets) {
  const std::string key = server.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string made = ticket(with_key(key));
  EXPECT_EQ(server.request("POST", "/v1/tickets?ticket=" + made).status, 400);
  EXPECT_EQ(status("/v1/log?ticket=" + made), 200) << "and it is not used up by that";
  EXPECT_EQ(server.request("POST", "/v1/tickets").status, 401);
  EXPECT_EQ(server.request("POST", "/v1/tickets", with_key(key), "{}").status, 400);
}

TEST_P(Tickets, AreNotGivenBesideAKeyOrTwice) {
  const std::string key = server.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string first = ticket(with_key(key));
  const std::string second = ticket(with_key(key));
  EXPECT_EQ(status("/v1/log?ticket=" + first, with_key(key)), 401);
  EXPECT_EQ(status("/v1/log?ticket=" + first + "&ticket=" + second), 400);
  EXPECT_EQ(status("/healthz?ticket=" + first), 200) << "where no key is asked for, it is nothing";
  EXPECT_EQ(status("/openapi.json?ticket=" + first), 400);
  EXPECT_EQ(status("/v1/log?ticket=" + first), 200);
  EXPECT_EQ(status("/v1/log?ticket=" + second), 200);
}

TEST_P(Tickets, OfOpenModeEndWithTheFirstKey) {
  const std::string used = ticket({});
  EXPECT_EQ(status("/v1/log?ticket=" + used), 200);
  EXPECT_EQ(status("/v1/log?ticket=" + used), 401);
  const std::string left = ticket({});
  server.create_key("admin", {"*"}, {ReadGrant::all()});
  EXPECT_EQ(status("/v1/log?ticket=" + left), 401);
}

TEST_P(Tickets, AreNotUsedUpWhenThereIsNoPlaceForAStream) {
  server::ServerOptions options;
  options.subscriber_max_connections = 1;
  RunningServer small{GetParam(), options};
  const std::string key = small.create_key("admin", {"*"}, {ReadGrant::all()});
  const std::string made = parsed(small.request("POST", "/v1/tickets", with_key(key)))["ticket"];
  const SseClient stream{small.port(), "/v1/events/stream", with_key(key)};
  EXPECT_EQ(small.get("/v1/events/stream?ticket=" + made).status, 503);
  EXPECT_EQ(small.get("/v1/log?ticket=" + made).status, 200);
}

INSTANTIATE_TEST_SUITE_P(Backends, Tickets, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

TEST(TicketLog, NeverHoldsOne) {
  std::ostringstream lines;
  std::string ticket;
  {
    TestLog log{Backend::memory};
    server::ServerOptions options;
    options.listen = "127.0.0.1:0";
    auto logger = std::make_shared<spdlog::logger>(
        "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(lines));
    server::Server server{*log, options, logger};
    const auto port = server.start();
    ASSERT_TRUE(port);
    HttpClient client{*port};
    ticket = parsed(client.request("POST", "/v1/tickets"))["ticket"];
    EXPECT_EQ(client.request("GET", "/v1/log?ticket=" + ticket).status, 200);
    const auto used = client.request("GET", "/v1/log?ticket=" + ticket);
    EXPECT_EQ(used.status, 401);
    EXPECT_THAT(used.body, Not(HasSubstr(ticket)));
    SseClient stream{
        *port, "/v1/events/stream?ticket=" +
                   parsed(client.request("POST", "/v1/tickets"))["ticket"].get<std::string>()};
    EXPECT_EQ(stream.next_frame()->event, "caught_up");
  }
  EXPECT_THAT(lines.str(), HasSubstr("path=/v1/log status=401"));
  EXPECT_THAT(lines.str(), HasSubstr("path=/v1/events/stream status=200"));
  EXPECT_THAT(lines.str(), Not(HasSubstr("ticket=")));
  EXPECT_THAT(lines.str(), Not(HasSubstr(ticket)));
}

}  // namespace
}  // namespace annals::test
