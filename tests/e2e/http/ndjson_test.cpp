#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <thread>
#include <vector>

#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using nlohmann::json;
using testing::SizeIs;

class Ndjson : public testing::TestWithParam<Backend> {
 public:
  RunningServer server{GetParam()};

  HttpResponse post(std::string_view body) const {
    return server.request("POST", "/v1/events", {{"Content-Type", "application/x-ndjson"}}, body);
  }
};

std::vector<json> lines_of(const std::string& body) {
  std::vector<json> lines;
  std::istringstream in{body};
  for (std::string line; std::getline(in, line);)
    lines.push_back(json::parse(line));
  return lines;
}

TEST_P(Ndjson, EachLineIsAnsweredAlone) {
  const auto answer = post(event_json() + "\n\n{\"type\":\"Bad\"}\r\n{broken\n[]\n" + event_json());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("content-type"), "application/x-ndjson");
  const auto lines = lines_of(answer.body);
  ASSERT_THAT(lines, SizeIs(5));
  EXPECT_EQ(lines[0]["line"], 1);
  EXPECT_EQ(lines[0]["seq"], 1);
  EXPECT_EQ(lines[1]["line"], 3);
  EXPECT_EQ(lines[1]["code"], "invalid_event");
  EXPECT_EQ(lines[1]["violations"][0]["pointer"], "/type");
  EXPECT_EQ(lines[2]["line"], 4);
  EXPECT_EQ(lines[2]["status"], 400);
  EXPECT_EQ(lines[3]["line"], 5);
  EXPECT_EQ(lines[3]["code"], "invalid_request");
  EXPECT_EQ(lines[4]["line"], 6);
  EXPECT_EQ(lines[4]["seq"], 2);
}

TEST_P(Ndjson, AConflictConcernsItsLineOnly) {
  const std::string none = event_json("{}", R"(,"stream":"s","expected_version":"none")");
  const std::string id = event_json("{}", R"(,"id":"0190a000-0000-7000-8000-000000000001")");
  const auto lines = lines_of(post(none + "\n" + none + "\n" + id + "\n" + id + "\n").body);
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_EQ(lines[0]["stream_seq"], 1);
  EXPECT_EQ(lines[1]["code"], "version_conflict");
  EXPECT_EQ(lines[2]["seq"], 2);
  EXPECT_EQ(lines[3]["seq"], 2);
  EXPECT_EQ(lines[3]["duplicate"], true);
}

TEST_P(Ndjson, FiftyThousandLinesWithSomeBad) {
  constexpr int total = 50'000;
  std::string body;
  for (int i = 0; i < total; ++i) {
    body += i % 1000 == 7 ? "{\"type\":\"test.made\",\"strem\":1}"
                          : event_json("{\"n\":" + std::to_string(i) + "}");
    body += '\n';
  }
  HttpClient client{server.port()};
  std::jthread sender{[&] {
    client.send(
        "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
        "application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n");
    std::ostringstream size;
    for (std::size_t at = 0; at < body.size(); at += 100'003) {
      const std::string_view piece = std::string_view{body}.substr(at, 100'003);
      size.str({});
      size << std::hex << piece.size() << "\r\n";
      client.send(size.str());
      client.send(piece);
      client.send("\r\n");
    }
    client.send("0\r\n\r\n");
  }};
  const auto answer = client.read_response();
  sender.join();
  const auto lines = lines_of(answer.body);
  ASSERT_THAT(lines, SizeIs(total));
  std::uint64_t seq = 0;
  for (int i = 0; i < total; ++i) {
    ASSERT_EQ(lines[i]["line"], i + 1);
    if (i % 1000 == 7) {
      ASSERT_EQ(lines[i]["code"], "invalid_event");
    } else {
      ASSERT_EQ(lines[i].value("seq", 0U), ++seq) << lines[i];
    }
  }
  EXPECT_EQ(server.log().state()->event_seq, seq);
  EXPECT_EQ(client.request("GET", "/healthz").status, 200);
}

TEST_P(Ndjson, ALineIsAnsweredWhileTheBodyGoesOn) {
  HttpClient client{server.port()};
  client.send(
      "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
      "application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(event_json().size(), 33U);
  for (int i = 1; i <= 3; ++i) {
    client.send("22\r\n" + event_json() + "\n\r\n");
    if (i == 1) {
      EXPECT_EQ(client.read_head().status, 200);
    }
    client.read_line();
    const auto line = client.read_line();
    EXPECT_EQ(json::parse(*line)["seq"], i);
    client.read_line();
  }
  client.send("0\r\n\r\n");
  EXPECT_EQ(client.read_line(), "0\r");
}

TEST_P(Ndjson, ASenderThatNeverReadsIsHeldNotServedWithoutBound) {
  server::ServerOptions options;
  options.ndjson_max_unsent_bytes = std::size_t{64} * 1024;
  options.write_timeout = std::chrono::milliseconds{300};
  RunningServer bounded{Backend::memory, options};
  HttpClient client{bounded.port()};
  client.send(
      "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
      "application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n");
  std::string lines;
  for (int i = 0; i < 10'000; ++i)
    lines += event_json() + "\n";
  std::ostringstream chunk;
  chunk << std::hex << lines.size() << "\r\n" << lines << "\r\n";
  // The server takes no more at some point, then gives up.
  EXPECT_THROW(
      {
        for (int i = 0; i < 1000; ++i)
          client.send(chunk.str());
      },
      std::runtime_error);
  EXPECT_EQ(bounded.get("/healthz").status, 200);
}

TEST_P(Ndjson, TakesNoOptionsOfWholeRequests) {
  EXPECT_EQ(server
                .request("POST", "/v1/events",
                         {{"Content-Type", "application/x-ndjson"}, {"Idempotency-Key", "k"}},
                         event_json())
                .status,
            400);
  EXPECT_EQ(server
                .request("POST", "/v1/events?ack=queued",
                         {{"Content-Type", "application/x-ndjson"}}, event_json())
                .status,
            400);
  EXPECT_EQ(lines_of(post(" ").body), std::vector<json>{});
}

TEST_P(Ndjson, OfAnOldClientEndsWithTheConnection) {
  HttpClient client{server.port()};
  client.send(
      "POST /v1/events HTTP/1.0\r\nContent-Type: application/x-ndjson\r\n"
      "Content-Length: 33\r\n\r\n" +
      event_json());
  EXPECT_THAT(lines_of(client.read_response().body), SizeIs(1));
}

INSTANTIATE_TEST_SUITE_P(Backends, Ndjson, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace annals::test
