#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "testing/loopback.hpp"
#include "testing/tcp_gate.hpp"
#include "tests/e2e/client/canned_server.hpp"
#include "tests/e2e/client/client_fixture.hpp"

namespace annals::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string problem(const std::string& status, const std::string& fields, const std::string& body) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: application/problem+json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n" + fields + "\r\n" + body;
}

std::string page(const std::string& status, const std::string& body = "<html>") {
  return "HTTP/1.1 " + status +
         "\r\nContent-Type: text/html\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

Error info_error(const std::string& answer) {
  const CannedServer server(answer);
  auto info = connect(client_options(server.port())).info();
  return info ? Error{} : info.error();
}

ErrorCode append_error(const std::string& answer) {
  const CannedServer server(answer);
  auto options = client_options(server.port());
  options.append_patience = std::chrono::milliseconds{0};
  const auto result = connect(options).append(event_of("a.b"));
  return result ? ErrorCode::internal : result.error().code;
}

TEST(ClientRefusal, NobodyListens) {
  std::uint16_t port = 0;
  const Fd reserved = reserve_port(port);
  Client client = connect(client_options(port));
  const auto info = client.info();
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().code, ErrorCode::store_unavailable);
  EXPECT_THAT(info.error().detail, HasSubstr("Connection refused"));
  EXPECT_EQ(client.append(event_of("a.b")).error().code, ErrorCode::store_unavailable)
      << "nothing was sent";
  EXPECT_EQ(client.append_stream().error().code, ErrorCode::store_unavailable);
}

TEST(ClientRefusal, SilenceEnds) {
  RunningServer server(Backend::memory);
  TcpGate gate(server.port());
  auto options = client_options(gate.port());
  options.answer_timeout = std::chrono::milliseconds{100};
  options.append_patience = std::chrono::milliseconds{0};
  Client client = connect(options);
  gate.stall();
  const auto info = client.info();
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().code, ErrorCode::store_unavailable);
  EXPECT_THAT(info.error().detail, HasSubstr("said nothing for 100 ms"));
  EXPECT_EQ(client.append(event_of("a.b")).error().code, ErrorCode::commit_unknown);
  gate.pass();
  EXPECT_TRUE(connect(client_options(gate.port())).info());
}

TEST(ClientRefusal, KeysThatDoNotHoldOrDoNotAllow) {
  RunningServer server(Backend::memory);
  const auto secret = server.create_key("writer", {"order.*"}, {});
  auto options = client_options(server.port());
  EXPECT_EQ(connect(options).info().error().code, ErrorCode::not_authenticated);
  options.api_key = "annals_wrong";
  const auto wrong = connect(options).info();
  EXPECT_EQ(wrong.error().code, ErrorCode::not_authenticated);
  EXPECT_THAT(wrong.error().detail, Not(HasSubstr("annals_wrong")));
  options.api_key = secret;
  Client client = connect(options);
  EXPECT_EQ(client.read({}).error().code, ErrorCode::not_allowed);
  const auto refused = client.append(event_of("a.b"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::not_allowed);
  EXPECT_EQ(std::get<NotAllowed>(refused.error().details), (NotAllowed{"a.b", {"order.*"}}));
  EXPECT_TRUE(client.append(event_of("order.paid")));
}

TEST(ClientRefusal, AServerThatIsBusySaysWhenToComeAgain) {
  RunningServer server(Backend::memory);
  ASSERT_TRUE(server.log().freeze(server.log().local_admin(), true));
  const auto frozen = connect(server).append(event_of("a.b"));
  ASSERT_FALSE(frozen);
  EXPECT_EQ(frozen.error().code, ErrorCode::frozen);
  EXPECT_TRUE(frozen.error().retry_after);
  const auto limited = info_error(problem("429 Too Many Requests", "Retry-After: 7\r\n",
                                          R"({"code":"rate_limited","status":429,"detail":"x"})"));
  EXPECT_EQ(limited.code, ErrorCode::rate_limited);
  EXPECT_EQ(limited.detail, "x");
  EXPECT_EQ(limited.retry_after, std::chrono::seconds{7});
}

TEST(ClientRefusal, WhatAProxyAnswersIsReadByItsStatus) {
  EXPECT_EQ(info_error(page("401 Unauthorized")).code, ErrorCode::not_authenticated);
  EXPECT_EQ(info_error(page("403 Forbidden")).code, ErrorCode::not_allowed);
  EXPECT_EQ(info_error(page("429 Too Many Requests")).code, ErrorCode::rate_limited);
  EXPECT_EQ(info_error(page("502 Bad Gateway")).code, ErrorCode::store_unavailable);
  EXPECT_EQ(info_error(page("301 Moved Permanently")).code, ErrorCode::invalid_request);
  EXPECT_EQ(append_error(page("502 Bad Gateway")), ErrorCode::commit_unknown)
      << "the server behind it may have stored the event";
  EXPECT_EQ(append_error(problem("503 Service Unavailable", "",
                                 R"({"code":"store_unavailable","status":503})")),
            ErrorCode::store_unavailable);
}

TEST(ClientRefusal, WhatIsNoAnnalsServerIsToldSo) {
  for (const std::string& answer : {page("200 OK"), page("200 OK", "{}"), page("200 OK", "[1,2"),
                                    std::string("SSH-2.0\r\n\r\n")}) {
    const auto error = info_error(answer);
    EXPECT_EQ(error.code, ErrorCode::invalid_request) << answer;
    EXPECT_THAT(error.detail, HasSubstr("does not answer as an Annals server does"));
  }
  EXPECT_EQ(append_error(page("200 OK", "{}")), ErrorCode::invalid_request);
}

TEST(ClientRefusal, AnAnswerThatBreaksOffIsNoAnswer) {
  EXPECT_EQ(info_error("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{").code,
            ErrorCode::store_unavailable);
  EXPECT_EQ(append_error("HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{"),
            ErrorCode::commit_unknown);
  EXPECT_EQ(append_error(""), ErrorCode::commit_unknown);
}

TEST(ClientRefusal, OptionsThatCannotBeUsedAreRefusedAtOnce) {
  EXPECT_EQ(Client::create({.url = "localhost:7420"}).error().code, ErrorCode::invalid_request);
  EXPECT_EQ(Client::create({.url = "https://example.com", .ca_file = "/absent.pem"}).error().code,
            ErrorCode::invalid_request);
}

}  // namespace
}  // namespace annals::test
