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

class Limits : public testing::TestWithParam<Backend> {
 public:
  RunningServer server{GetParam()};

  std::string limit_said;  ///< Message of the last violation.

  /// Status and violated rule of an event with this payload and these members.
  std::string outcome(std::string_view payload, std::string_view more = "") {
    const auto answer = server.append(event_json(payload, more));
    if (answer.status == 201) return "201";
    const json body = parsed(answer);
    std::string out = std::to_string(answer.status);
    for (const auto& violation : body.value("violations", json::array())) {
      out += ' ' + violation["pointer"].get<std::string>();
      limit_said = violation["message"];
    }
    return out;
  }
};

std::string text(std::size_t size) {
  return std::string(size, 'x');
}

TEST_P(Limits, OfAPayloadAreExact) {
  const auto payload = [](std::size_t size) { return R"({"a":")" + text(size - 8) + R"("})"; };
  EXPECT_EQ(outcome(payload(57343)), "201");
  EXPECT_EQ(outcome(payload(57344)), "201");
  EXPECT_EQ(outcome(payload(57345)), "400 /payload");
  EXPECT_THAT(limit_said, testing::HasSubstr("57344"));
  EXPECT_EQ(outcome(R"({"a": ")" + text(57344 - 8) + R"(" })"), "201") << "counted as stored";
}

TEST_P(Limits, OfNamesAndLabelsAreExact) {
  const auto with = [](std::string_view member, std::size_t size) {
    return ",\"" + std::string{member} + "\":\"" + text(size) + '"';
  };
  for (const char* member : {"stream", "source", "audience", "client_msg_id"}) {
    EXPECT_EQ(outcome("{}", with(member, 199)), "201") << member;
    EXPECT_EQ(outcome("{}", with(member, 200)), "201") << member;
    EXPECT_EQ(outcome("{}", with(member, 201)), "400 /" + std::string{member});
    EXPECT_EQ(outcome("{}", with(member, 0)), "400 /" + std::string{member});
  }
  const auto labels = [](std::size_t count, std::size_t size) {
    std::string out = ",\"labels\":{";
    for (std::size_t i = 0; i < count; ++i) {
      if (i != 0) out += ',';
      out += "\"k" + std::to_string(i) + "\":\"" + text(size) + '"';
    }
    return out + '}';
  };
  EXPECT_EQ(outcome("{}", labels(15, 256)), "201");
  EXPECT_EQ(outcome("{}", labels(16, 256)), "201");
  EXPECT_EQ(outcome("{}", labels(17, 1)), "400 /labels");
  EXPECT_EQ(outcome("{}", labels(1, 257)), "400 /labels/k0");
}

TEST_P(Limits, OfARequestAreExact) {
  const std::size_t limit = 8'388'608;
  const auto padded = [&](std::size_t size) {
    const std::string event = event_json();
    return server.append(event + std::string(size - event.size(), ' ')).status;
  };
  EXPECT_EQ(padded(limit - 1), 201);
  EXPECT_EQ(padded(limit), 201);
  EXPECT_EQ(padded(limit + 1), 413);
}

TEST_P(Limits, OfEventsInARequestAreExact) {
  const auto of = [&](std::size_t count) {
    std::string body = "[";
    for (std::size_t i = 0; i < count; ++i) {
      if (i != 0) body += ',';
      body += R"({"type":"a.b"})";
    }
    return server.append(body + "]");
  };
  EXPECT_EQ(of(9999).status, 201);
  EXPECT_EQ(of(10'000).status, 201);
  const auto more = of(10'001);
  EXPECT_EQ(more.status, 413);
  EXPECT_EQ(parsed(more)["limit"], (json{{"name", "request_max_events"}, {"value", 10'000}}));
}

INSTANTIATE_TEST_SUITE_P(Backends, Limits, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

TEST(QueueLimit, WhoIsTurnedAwayIsNotStored) {
  LogOptions log_options;
  log_options.append.queue_max_bytes = 4096;
  log_options.append.queue_timeout = std::chrono::milliseconds{1};
  RunningServer server{Backend::sqlite, {}, log_options};
  std::atomic<std::size_t> accepted{0};
  std::atomic<std::size_t> busy{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      HttpClient client{server.port()};
      for (int n = 0; n < 25; ++n) {
        const auto answer =
            client.request("POST", "/v1/events", {{"Content-Type", "application/json"}},
                           event_json(R"({"a":")" + text(1000) + R"("})"));
        if (answer.status == 201) {
          ++accepted;
        } else {
          EXPECT_EQ(answer.status, 503);
          EXPECT_EQ(parsed(answer)["code"], "busy");
          EXPECT_NE(answer.header("retry-after"), "");
          ++busy;
        }
      }
    });
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(accepted + busy, 400U);
  EXPECT_EQ(server.log().state()->event_seq, accepted);
  EXPECT_GT(accepted, 0U);
}

}  // namespace
}  // namespace annals::test
