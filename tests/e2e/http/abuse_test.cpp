#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using std::string_literals::operator""s;

using nlohmann::json;
using std::string_literals::operator""s;
using std::chrono::milliseconds;

class Abuse : public testing::Test {
 public:
  RunningServer server{Backend::memory};

  /// The status of the answer to these bytes, and that the server still answers afterwards.
  int status(std::string_view bytes) const {
    HttpClient client{server.port()};
    client.send(bytes);
    const int status = client.read_response().status;
    EXPECT_EQ(server.get("/healthz").status, 200);
    return status;
  }
};

TEST_F(Abuse, HeadsAreBounded) {
  const std::string start = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
  EXPECT_EQ(status(start + "X: " + std::string(20'000, 'x') + "\r\n\r\n"), 431);
  std::string lines;
  for (int i = 0; i < 98; ++i)
    lines += "X-" + std::to_string(i) + ": 1\r\n";
  EXPECT_EQ(status(start + lines + "\r\n"), 200);
  EXPECT_EQ(status(start + lines + "X: 1\r\n\r\n"), 431);
  EXPECT_EQ(status("GET /" + std::string(20'000, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n"), 431);
}

TEST_F(Abuse, WhatTwoReadersCouldUnderstandDifferentlyIsRefused) {
  const std::string post = "POST /v1/events HTTP/1.1\r\nHost: localhost\r\n";
  EXPECT_EQ(status(post + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}"), 400);
  EXPECT_EQ(status(post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"), 400);
  EXPECT_EQ(status(post + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}"), 400);
  EXPECT_EQ(status(post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"), 400);
  EXPECT_EQ(status(post + "Content-Length: -1\r\n\r\n"), 400);
  EXPECT_EQ(status(post + "Content-Length: 99999999999999999999\r\n\r\n"), 400);
  EXPECT_EQ(status(post + "Content-Length : 2\r\n\r\n{}"), 400);
  EXPECT_EQ(status("GET /healthz HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
  EXPECT_EQ(status("GET /healthz HTTP/2.0\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(status("nonsense\r\n\r\n"), 400);
  EXPECT_EQ(status("GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"s), 400);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: a\r\nLast-Event-ID: 1\0\r\n\r\n"s), 400);
  EXPECT_EQ(status("GET healthz HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(status("GET http://a/healthz HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
}

TEST_F(Abuse, PathsAndMethodsAreKnown) {
  EXPECT_EQ(server.get("/").status, 404);
  EXPECT_EQ(server.get("/v1/events/").status, 404);
  EXPECT_EQ(server.get("/v1/../healthz").status, 404);
  EXPECT_EQ(server.get("/v1/events/%zz").status, 404);
  EXPECT_EQ(server.get("/healthz?a=%").status, 200);
  const auto wrong = server.request("DELETE", "/v1/events");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.header("allow"), "POST, GET, HEAD");
  EXPECT_EQ(server.request("BREW", "/v1/events").status, 405);
}

TEST_F(Abuse, ALargeBodyIsAnsweredNotReset) {
  const std::string body(std::size_t{10} * 1024 * 1024, ' ');
  const auto answer = server.append(body);
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(parsed(answer)["limit"], (json{{"name", "request_max_bytes"}, {"value", 8388608}}));

  HttpClient chunked{server.port()};
  chunked.send(
      "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "100000\r\n" + std::string(1 << 20, ' ') + "\r\n";
  for (int i = 0; i < 9; ++i)
    chunked.send(chunk);
  EXPECT_EQ(chunked.read_response().status, 413);
}

TEST_F(Abuse, PipelinedRequestsAreAnsweredInOrder) {
  HttpClient client{server.port()};
  const std::string event = event_json();
  std::string requests;
  for (int i = 0; i < 50; ++i) {
    requests +=
        "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: " +
        std::to_string(event.size()) + "\r\n\r\n" + event;
    requests += "GET /v1/events/" + std::to_string(i + 1) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  }
  client.send(requests);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(parsed(client.read_response())["seq"], i + 1);
    EXPECT_EQ(parsed(client.read_response())["seq"], i + 1);
  }
}

TEST_F(Abuse, BytesMayArriveOneByOne) {
  HttpClient client{server.port()};
  const std::string event = event_json();
  const std::string request =
      "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n5\r\n" +
      event.substr(0, 5) + "\r\n" + "1c;x=y\r\n" + event.substr(5, 28) + "\r\n" + "0\r\n\r\n";
  ASSERT_EQ(event.size(), 33U);
  for (const char& byte : request)
    client.send({&byte, 1});
  EXPECT_EQ(client.read_response().status, 201);
  EXPECT_EQ(client.request("GET", "/healthz").status, 200);
}

TEST_F(Abuse, HeadHasTheLengthAndNoBody) {
  HttpClient client{server.port()};
  const auto get = client.request("GET", "/healthz");
  const auto head = client.request("HEAD", "/healthz");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("content-length"), std::to_string(get.body.size()));
  EXPECT_EQ(client.request("GET", "/healthz").body, get.body);
}

TEST_F(Abuse, OldClientsAreServed) {
  HttpClient client{server.port()};
  client.send("GET /healthz HTTP/1.0\r\n\r\n");
  const auto answer = client.read_response();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("connection"), "close");
  EXPECT_TRUE(client.at_end());
  HttpClient kept{server.port()};
  kept.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(kept.read_response().status, 200);
  kept.send("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_EQ(kept.read_response().status, 200);
}

TEST_F(Abuse, ExpectContinueIsAnsweredFirst) {
  HttpClient client{server.port()};
  const std::string event = event_json();
  const std::string head =
      "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Expect: 100-continue\r\nContent-Length: ";
  client.send(head + std::to_string(event.size()) + "\r\n\r\n");
  EXPECT_EQ(client.read_head().status, 100);
  client.send(event);
  EXPECT_EQ(client.read_response().status, 201);
  client.send(head + "9000000\r\n\r\n");
  EXPECT_EQ(client.read_head().status, 413);
  EXPECT_EQ(status("POST /v1/events HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\n\r\n"), 417);
}

TEST_F(Abuse, ABodyWhereNoneBelongsIsRefused) {
  EXPECT_EQ(server.request("GET", "/v1/log", {}, "{}").status, 400);
}

TEST(AbuseTimes, ARequestThatDoesNotArriveIsGivenUp) {
  server::ServerOptions options;
  options.head_timeout = milliseconds{80};
  options.body_timeout = milliseconds{80};
  options.idle_timeout = milliseconds{80};
  RunningServer server{Backend::memory, options};
  HttpClient idle{server.port()};
  EXPECT_TRUE(idle.at_end());
  HttpClient head{server.port()};
  head.send("GET /healthz HT");
  EXPECT_EQ(head.read_response().status, 408);
  HttpClient body{server.port()};
  body.send(
      "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 10\r\n\r\n{");
  EXPECT_EQ(body.read_response().status, 408);
}

TEST(AbuseLimits, ConnectionsAreCounted) {
  server::ServerOptions options;
  options.max_connections = 2;
  RunningServer server{Backend::memory, options};
  HttpClient one{server.port()};
  HttpClient two{server.port()};
  EXPECT_EQ(one.request("GET", "/healthz").status, 200);
  EXPECT_EQ(two.request("GET", "/healthz").status, 200);
  HttpClient three{server.port()};
  EXPECT_EQ(three.read_response().status, 503);
}

}  // namespace
}  // namespace annals::test
