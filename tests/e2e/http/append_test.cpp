#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using nlohmann::json;
using testing::SizeIs;

class Append : public testing::TestWithParam<Backend> {
 public:
  RunningServer server{GetParam()};
};

TEST_P(Append, OneEventGetsItsPlace) {
  const auto answer = server.append(event_json(R"({"a":1})", R"(,"stream":"s")"));
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.header("content-type"), "application/json");
  EXPECT_EQ(answer.header("x-content-type-options"), "nosniff");
  const json body = parsed(answer);
  EXPECT_EQ(body["seq"], 1);
  EXPECT_EQ(body["stream_seq"], 1);
  EXPECT_EQ(body["head"], 1);
  EXPECT_THAT(body["hash"].get<std::string>(), SizeIs(64));
  EXPECT_THAT(body["log_hash"].get<std::string>(), SizeIs(64));
  EXPECT_FALSE(body.contains("duplicate"));

  const json stored = parsed(server.get("/v1/events/1"));
  EXPECT_EQ(stored["id"], body["id"]);
  EXPECT_EQ(stored["stream"]["hash"], body["hash"]);
  EXPECT_EQ(stored["payload"], (json{{"a", 1}}));
}

TEST_P(Append, AnArrayIsOneRequest) {
  const auto answer = server.append("[" + event_json() + "," + event_json() + "]");
  EXPECT_EQ(answer.status, 201);
  const json body = parsed(answer);
  ASSERT_THAT(body["events"], SizeIs(2));
  EXPECT_EQ(body["events"][1]["seq"], 2);
  EXPECT_EQ(body["head"], 2);
  EXPECT_THAT(body["log_hash"].get<std::string>(), SizeIs(64));
}

TEST_P(Append, ARepeatGetsTheFirstAnswer) {
  const std::string id = R"(,"id":"0190a000-0000-7000-8000-000000000001")";
  const json first = parsed(server.append(event_json(R"({"a":1})", id)));
  server.fill(3);
  const auto check = [&] {
    const auto again = server.append(event_json(R"({"a":1})", id));
    EXPECT_EQ(again.status, 200);
    json body = parsed(again);
    EXPECT_EQ(body["duplicate"], true);
    body.erase("duplicate");
    EXPECT_EQ(body, first);
  };
  check();
  server.restart();
  check();
  EXPECT_THAT(read_all(server), SizeIs(4));
}

TEST_P(Append, TheSameIdWithOtherContentIsAConflict) {
  const std::string id = R"(,"id":"0190a000-0000-7000-8000-000000000001")";
  EXPECT_EQ(server.append(event_json(R"({"a":1})", id)).status, 201);
  const auto other = server.append(event_json(R"({"a":2})", id));
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(parsed(other)["code"], "id_conflict");
  EXPECT_EQ(parsed(other)["events"][0]["id"], "0190a000-0000-7000-8000-000000000001");
}

TEST_P(Append, ALostReplyIsFoundByTheRetry) {
  const std::string event = event_json("{}", R"(,"id":"0190a000-0000-7000-8000-000000000001")");
  {
    HttpClient client{server.port()};
    client.send_request("POST", "/v1/events", {{"Content-Type", "application/json"}}, event);
    ASSERT_TRUE(server.log().wait_after(0, client_patience));
    client.close(true);
  }
  const auto retry = server.append(event);
  EXPECT_EQ(retry.status, 200);
  EXPECT_EQ(parsed(retry)["seq"], 1);
}

TEST_P(Append, AnIdempotencyKeyRepeatsTheAnswer) {
  const HttpClient::Fields key = {{"Idempotency-Key", "order-17"}};
  const auto first = server.append(event_json(R"({"a":1})"), key);
  EXPECT_EQ(first.status, 201);
  const auto again = server.append(event_json(R"({"a":1})"), key);
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(parsed(again), parsed(first));
  const auto other = server.append(event_json(R"({"a":2})"), key);
  EXPECT_EQ(other.status, 422);
  EXPECT_EQ(parsed(other)["code"], "idempotency_mismatch");
  EXPECT_THAT(read_all(server), SizeIs(1));
  EXPECT_EQ(server.append(event_json(), {{"Idempotency-Key", std::string(201, 'k')}}).status, 400);
}

TEST_P(Append, QueuedIsAnsweredAtOnce) {
  const auto answer = server.append(event_json(), {}, "/v1/events?ack=queued");
  EXPECT_EQ(answer.status, 202);
  EXPECT_EQ(parsed(answer)["durable"], false);
  EXPECT_FALSE(parsed(answer).contains("seq"));
  ASSERT_TRUE(server.log().flush());
  EXPECT_EQ(parsed(server.get("/v1/events/1"))["id"], parsed(answer)["id"]);
  EXPECT_EQ(server.append(event_json(), {}, "/v1/events?ack=qeued").status, 400);
  EXPECT_EQ(server
                .append(event_json("{}", R"(,"stream":"s","expected_version":0)"), {},
                        "/v1/events?ack=queued")
                .status,
            400);
}

TEST_P(Append, ExpectedVersionsAreKept) {
  const auto with = [&](std::string_view expected) {
    return server.append(
        event_json("{}", R"(,"stream":"s","expected_version":)" + std::string{expected}));
  };
  EXPECT_EQ(with("\"exists\"").status, 409);
  EXPECT_EQ(with("\"none\"").status, 201);
  EXPECT_EQ(with("1").status, 201);
  EXPECT_EQ(with("\"any\"").status, 201);
  const auto conflict = with("1");
  EXPECT_EQ(conflict.status, 409);
  EXPECT_EQ(parsed(conflict)["code"], "version_conflict");
  EXPECT_EQ(parsed(conflict)["streams"][0]["version"], 3);
  EXPECT_THAT(parsed(conflict)["streams"][0]["head_hash"].get<std::string>(), SizeIs(64));
  const auto misspelt = with("\"exist\"");
  EXPECT_EQ(misspelt.status, 400);
  EXPECT_EQ(parsed(misspelt)["violations"][0]["pointer"], "/expected_version");
  EXPECT_THAT(read_all(server), SizeIs(3));
}

TEST_P(Append, TheTraceOfTheRequestIsTheCorrelation) {
  const HttpClient::Fields sampled = {
      {"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}};
  const HttpClient::Fields unsampled = {
      {"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"}};
  server.append(event_json(), sampled);
  server.append(event_json(), unsampled);
  server.append(event_json());
  const auto events = read_all(server);
  EXPECT_EQ(events[0]["correlation_id"], "0af76519-16cd-43dd-8448-eb211c80319c");
  EXPECT_EQ(events[0]["trace_context"], sampled.front().second);
  EXPECT_EQ(events[1]["correlation_id"], "0af76519-16cd-43dd-8448-eb211c80319c");
  EXPECT_FALSE(events[1].contains("trace_context"));
  EXPECT_FALSE(events[2].contains("correlation_id"));
}

TEST_P(Append, EveryViolationIsReportedByIndexAndPointer) {
  const auto answer = server.append(R"([{"type":"a.b","strem":"x"},{"type":"Bad"},{"type":"a.b"},
                        {"type":7,"payload":{"a":[null]}},{"type":"log.x","id":"1"}])");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.header("content-type"), "application/problem+json");
  std::vector<std::string> found;
  const json body = parsed(answer);
  for (const auto& violation : body["violations"]) {
    found.push_back(std::to_string(violation["index"].get<int>()) +
                    violation["pointer"].get<std::string>());
  }
  EXPECT_THAT(found, testing::ElementsAre("0/strem", "1/type", "3/type", "3/payload/a/0", "4/id",
                                          "4/type"));
  EXPECT_THAT(read_all(server), SizeIs(0));
}

TEST_P(Append, BrokenTextIsRefusedWithAPointer) {
  const std::string deep(10'000, '[');
  for (const std::string& body :
       {event_json(R"({"a":"\ud800"})"), event_json(R"({"a":1,"a":2})"), event_json("{\"a\":NaN}"),
        event_json("{\"a\":" + deep + "}"), "\xEF\xBB\xBF" + event_json(), event_json() + "x",
        event_json("{\"a\":\"\xff\"}"), std::string{"{"}, std::string{"nonsense"}}) {
    const auto answer = server.append(body);
    EXPECT_EQ(answer.status, 400) << body.substr(0, 60);
    ASSERT_TRUE(parsed(answer).contains("violations")) << answer.body;
    EXPECT_TRUE(parsed(answer)["violations"][0].contains("pointer"));
  }
  EXPECT_THAT(read_all(server), SizeIs(0));
}

TEST_P(Append, AnotherContentTypeIsRefused) {
  const auto answer =
      server.request("POST", "/v1/events", {{"Content-Type", "text/plain"}}, event_json());
  EXPECT_EQ(answer.status, 415);
  EXPECT_EQ(parsed(answer)["code"], "unsupported_media_type");
  EXPECT_EQ(server.request("POST", "/v1/events", {}, event_json()).status, 415);
  EXPECT_EQ(server
                .request("POST", "/v1/events",
                         {{"Content-Type", "Application/JSON; charset=utf-8"}}, event_json())
                .status,
            201);
}

TEST_P(Append, OneBadRequestInAGroupFailsAlone) {
  constexpr int good = 50;
  std::vector<std::jthread> threads;
  std::atomic<int> accepted{0};
  std::atomic<int> refused{0};
  for (int i = 0; i <= good; ++i) {
    threads.emplace_back([&, bad = i == good / 2] {
      const auto status = server.append(bad ? event_json("[]") : event_json()).status;
      ++(status == 201 ? accepted : refused);
      EXPECT_EQ(status, bad ? 400 : 201);
    });
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(accepted, good);
  EXPECT_EQ(refused, 1);
  EXPECT_THAT(read_all(server), SizeIs(good));
}

TEST_P(Append, PayloadsComeOutByteForByte) {
  const std::string payload =
      R"({"z":9007199254740993,"a":0.1234567890123456789,"b":1.0,"c":1E+2,"d":"\u00e9\/","e":-0})";
  server.append(event_json(payload));
  EXPECT_THAT(server.get("/v1/events/1").body, testing::EndsWith("\"payload\":" + payload + "}"));
  EXPECT_EQ(server.get("/v1/events/1?form=payload").body, payload);
  SseClient stream{server.port(), "/v1/events/stream?after=0"};
  EXPECT_THAT(stream.next_frame()->data, testing::EndsWith("\"payload\":" + payload + "}"));
}

INSTANTIATE_TEST_SUITE_P(Backends, Append, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace annals::test
