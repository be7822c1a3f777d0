// What each address and each key may do at most. Rates are small against what a test sends, so that
// no speed of the machine changes what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>

#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// More requests than any bucket here lets through.
constexpr int many = 10'000;

HttpClient::Fields with_key(const std::string& key) {
  return {{"X-API-Key", key}};
}

std::string array_of(int count) {
  std::string out = "[";
  for (int i = 0; i < count; ++i) {
    if (i != 0) out += ',';
    out += event_json();
  }
  return out + ']';
}

void expect_rate_limited(const HttpResponse& answer) {
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.header("content-type"), "application/problem+json");
  EXPECT_EQ(parsed(answer)["code"], "rate_limited");
  EXPECT_GE(std::stoi("0" + answer.header("retry-after")), 1);
}

server::ServerOptions address_rate() {
  server::ServerOptions options;
  options.rate_ip_requests = 1;
  options.rate_burst = seconds{5};
  options.subscriber_max_connections = 1;
  return options;
}

/// Sends a request until it is refused for the rate; how many were not, all of them answered with
/// `otherwise`.
int until_limited(const RunningServer& server, std::string_view target, int otherwise,
                  const HttpClient::Fields& fields = {}) {
  HttpClient client{server.port()};
  for (int i = 0; i < many; ++i) {
    const auto answer = client.request("GET", target, fields);
    if (answer.status == 429) {
      expect_rate_limited(answer);
      return i;
    }
    EXPECT_EQ(answer.status, otherwise);
  }
  ADD_FAILURE() << "never refused";
  return many;
}

TEST(AddressRate, IsLookedAtBeforeTheKeyAndThePath) {
  RunningServer server{Backend::memory, address_rate()};
  const std::string key = server.create_key("admin", {"*"}, {ReadGrant::all()});
  EXPECT_GE(until_limited(server, "/v1/events", 401), 5);
  until_limited(server, "/v1/events", 200, with_key(key));
  until_limited(server, "/nowhere", 404);
  until_limited(server, "/healthz", 200);
}

TEST(AddressRate, ComesBackWithTime) {
  server::ServerOptions options;
  options.rate_ip_requests = 50;
  options.rate_burst = milliseconds{100};
  RunningServer server{Backend::memory, options};
  until_limited(server, "/healthz", 200);
  HttpClient client{server.port()};
  // Refusals are not counted: asking again and again does not keep the bucket empty.
  int status = 429;
  for (int i = 0; i < many && status == 429; ++i)
    status = client.request("GET", "/healthz").status;
  EXPECT_EQ(status, 200);
}

TEST(AddressRate, IsLookedAtBeforeThePlacesOfSubscribersAndThoseBeforeTheKey) {
  RunningServer server{Backend::memory, address_rate()};
  const std::string key = server.create_key("admin", {"*"}, {ReadGrant::all()});
  const SseClient stream{server.port(), "/v1/events/stream", with_key(key)};
  ASSERT_EQ(stream.head().status, 200);
  EXPECT_GE(until_limited(server, "/v1/events/stream", 503), 1);
}

TEST(AddressRate, IsOffUnlessSet) {
  RunningServer server{Backend::memory};
  HttpClient client{server.port()};
  for (int i = 0; i < 500; ++i)
    ASSERT_EQ(client.request("GET", "/healthz").status, 200);
}

class KeyRate : public testing::TestWithParam<Backend> {};

server::ServerOptions key_rate(std::size_t events, std::size_t bytes) {
  server::ServerOptions options;
  options.rate_key_events = events;
  options.rate_key_bytes = bytes;
  options.rate_burst = seconds{1};
  return options;
}

TEST_P(KeyRate, OfEventsStopsTheKeyAndNobodyElse) {
  RunningServer server{GetParam(), key_rate(10, 0)};
  const std::string key = server.create_key("bulk", {"*"}, {ReadGrant::all()});
  const std::string other = server.create_key("other", {"*"}, {});
  EXPECT_EQ(server.append(array_of(5000), with_key(key)).status, 201) << "larger than the bucket";
  const auto refused = server.append(event_json(), with_key(key));
  expect_rate_limited(refused);
  EXPECT_GT(std::stoi(refused.header("retry-after")), 100);
  EXPECT_EQ(server.append(event_json(), with_key(other)).status, 201);
  EXPECT_EQ(server.get("/v1/events", with_key(key)).status, 200) << "reading is not appending";
  EXPECT_EQ(server.log().state()->event_seq, 5003U);
}

TEST_P(KeyRate, OfBytesCountsBodies) {
  RunningServer server{GetParam(), key_rate(0, 1000)};
  const std::string key = server.create_key("bulk", {"*"}, {ReadGrant::all()});
  const std::string large = event_json(R"({"a":")" + std::string(50'000, 'x') + R"("})");
  EXPECT_EQ(server.append("[" + large + "," + large + "," + large + "]", with_key(key)).status,
            201);
  expect_rate_limited(server.append(event_json(), with_key(key)));
}

TEST_P(KeyRate, IsAnsweredBeforeTheBodyIsSent) {
  RunningServer server{GetParam(), key_rate(10, 0)};
  const std::string key = server.create_key("bulk", {"*"}, {});
  ASSERT_EQ(server.append(array_of(5000), with_key(key)).status, 201);
  HttpClient client{server.port()};
  client.send(
      "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "X-API-Key: " +
      key + "\r\nContent-Length: 1000000\r\n\r\n");
  expect_rate_limited(client.read_response());
}

TEST_P(KeyRate, LinesOfNdjsonWaitForIt) {
  auto options = key_rate(100, 0);
  options.rate_burst = milliseconds{100};
  // The wait is longer than the peer may be silent: it is not the peer's.
  options.body_timeout = milliseconds{100};
  RunningServer server{GetParam(), options};
  const std::string key = server.create_key("bulk", {"*"}, {});
  std::string body;
  for (int i = 0; i < 60; ++i)
    body += event_json() + "\n";
  const auto begun = std::chrono::steady_clock::now();
  const auto answer = server.request(
      "POST", "/v1/events", {{"X-API-Key", key}, {"Content-Type", "application/x-ndjson"}}, body);
  const auto took = std::chrono::steady_clock::now() - begun;
  EXPECT_EQ(answer.status, 200);
  std::istringstream lines{answer.body};
  std::string line;
  std::uint64_t number = 0;
  while (std::getline(lines, line)) {
    const json result = json::parse(line);
    EXPECT_EQ(result["line"], ++number);
    EXPECT_EQ(result["seq"], number + 1) << line;
  }
  EXPECT_EQ(number, 60U);
  EXPECT_GE(took, milliseconds{450}) << "10 at once, then 100 a second";
}

TEST_P(KeyRate, WithoutAKeyThereIsNone) {
  RunningServer server{GetParam(), key_rate(10, 10)};
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(server.append(array_of(1000)).status, 201);
}

INSTANTIATE_TEST_SUITE_P(Backends, KeyRate, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

TEST(KeyStreams, AreBounded) {
  server::ServerOptions options;
  options.subscriber_max_per_key = 2;
  RunningServer server{Backend::memory, options};
  const std::string key = server.create_key("mobile", {}, {ReadGrant::all()});
  const std::string other = server.create_key("other", {}, {ReadGrant::all()});
  SseClient first{server.port(), "/v1/events/stream", with_key(key)};
  const SseClient second{server.port(), "/v1/events/stream", with_key(key)};
  const auto refused = server.get("/v1/events/stream", with_key(key));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.header("retry-after"), "5");
  EXPECT_EQ(parsed(refused)["code"], "too_many_subscribers");
  EXPECT_EQ(server.get("/v1/events?from=latest&wait=30s", with_key(key)).status, 503);
  EXPECT_EQ(server.get("/v1/events?after=0", with_key(key)).status, 200);
  const SseClient third{server.port(), "/v1/events/stream", with_key(other)};
  EXPECT_EQ(third.head().status, 200);
  first.close();
  int status = 503;
  for (int i = 0; i < many && status == 503; ++i)
    status = SseClient{server.port(), "/v1/events/stream", with_key(key)}.head().status;
  EXPECT_EQ(status, 200) << "the place of a stream that has ended is free";
}

}  // namespace
}  // namespace annals::test
