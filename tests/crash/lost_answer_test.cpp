// The server commits, and the answer is lost on its way: the client's repeat gets the first result.

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "testing/http_client.hpp"
#include "testing/process.hpp"
#include "testing/server_process.hpp"
#include "testing/tcp_gate.hpp"
#include "testing/temp_dir.hpp"

namespace annals::test {
namespace {

const HttpClient::Fields json_fields{{"Content-Type", "application/json"}};

class LostAnswer : public testing::Test {
 protected:
  /// Sends a request whose answer the gate swallows.
  void send_and_lose(const std::string& body, const HttpClient::Fields& fields = json_fields) {
    const auto cuts = gate_.cuts();
    gate_.cut_after(GateSide::server, 0);
    HttpClient client(gate_.port());
    EXPECT_THROW(client.request("POST", "/v1/events", fields, body), std::runtime_error);
    EXPECT_TRUE(gate_.wait_for_cuts(cuts + 1, client_patience));
  }

  HttpResponse send(const std::string& body, const HttpClient::Fields& fields = json_fields) {
    return HttpClient(gate_.port()).request("POST", "/v1/events", fields, body);
  }

  std::uint64_t head() {
    const auto answer = HttpClient(gate_.port()).request("GET", "/v1/log");
    return nlohmann::json::parse(answer.body).at("head").get<std::uint64_t>();
  }

  TempDir dir_;
  ServerProcess server_{dir_ / "log.db"};
  TcpGate gate_{server_.port()};
};

TEST_F(LostAnswer, ARepeatWithTheSameIdGetsTheFirstResult) {
  const std::string body = R"({"id":"0195f3a0-0000-7000-8000-000000000001","type":"order.placed",)"
                           R"("stream":"s","payload":{"total":12}})";
  send_and_lose(body);
  EXPECT_EQ(head(), 1U);

  const auto answer = send(body);
  EXPECT_EQ(answer.status, 200);
  const auto result = nlohmann::json::parse(answer.body);
  EXPECT_EQ(result.at("seq"), 1);
  EXPECT_EQ(result.at("stream_seq"), 1);
  EXPECT_EQ(result.at("duplicate"), true);
  EXPECT_EQ(head(), 1U);
}

TEST_F(LostAnswer, ARepeatUnderTheSameIdempotencyKeyGetsTheFirstResult) {
  const HttpClient::Fields fields{{"Content-Type", "application/json"},
                                  {"Idempotency-Key", "order-17"}};
  // Without ids: only the key says that it is the same request.
  const std::string body = R"([{"type":"order.placed"},{"type":"order.paid"}])";
  send_and_lose(body, fields);
  EXPECT_EQ(head(), 2U);

  const auto first = send(body, fields);
  const auto again = send(body, fields);
  // 200 where the answer says that it is a repeat, 201 where it is the first one rendered again.
  EXPECT_TRUE(first.status == 200 || first.status == 201) << first.body;
  EXPECT_EQ(first.body, again.body);
  const auto events = nlohmann::json::parse(first.body).at("events");
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].at("seq"), 1);
  EXPECT_EQ(events[1].at("seq"), 2);
  EXPECT_EQ(head(), 2U);
}

TEST_F(LostAnswer, ARepeatAfterTheServerDiedGetsTheFirstResult) {
  const std::string body =
      R"([{"id":"0195f3a0-0000-7000-8000-000000000002","type":"order.placed"}])";
  send_and_lose(body);
  server_.process().kill();
  const ServerProcess next(dir_ / "log.db");
  gate_.target(next.port());

  const auto answer = send(body);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(nlohmann::json::parse(answer.body).at("events")[0].at("seq"), 1);
  EXPECT_EQ(head(), 1U);
}

}  // namespace
}  // namespace annals::test
