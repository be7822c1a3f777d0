#include "client/request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "wire/query.hpp"

namespace annals::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::shared_ptr<const Endpoint> endpoint(ClientOptions options) {
  auto made = Endpoint::make(std::move(options));
  EXPECT_TRUE(made) << made.error().detail;
  return std::move(*made);
}

TEST(Request, TheHeadHasHostKeyAndFields) {
  const auto server = endpoint({.url = "http://example.com/log", .api_key = "k"});
  EXPECT_EQ(head_of(*server, {.target = "/v1/log", .fields = {{"Accept", "application/json"}}}),
            "GET /log/v1/log HTTP/1.1\r\nHost: example.com\r\nUser-Agent: annals-client\r\n"
            "X-API-Key: k\r\nAccept: application/json\r\n\r\n");
  EXPECT_THAT(head_of(*server, {.method = "POST", .target = "/v1/events", .body = "{}"}),
              HasSubstr("\r\nContent-Length: 2\r\n"));
  EXPECT_THAT(head_of(*server, {.method = "POST", .target = "/v1/events"}, true),
              HasSubstr("\r\nTransfer-Encoding: chunked\r\n"));
}

TEST(Request, NoHeaderCanBeginAnother) {
  const auto server = endpoint({.url = "http://example.com"});
  const auto head = head_of(
      *server, {.target = "/v1/log", .fields = {{"traceparent", "a\r\nX-API-Key: stolen"}}});
  EXPECT_THAT(head, Not(HasSubstr("stolen")));
}

TEST(Request, AKeyWithCharactersOfNoKeyIsRefusedAndNotRepeated) {
  for (const std::string key : {"s3cr3t\r\nX: y", "s3cr3t x", "s3cr3t\x7f"}) {
    const auto made = Endpoint::make({.url = "http://example.com", .api_key = key});
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().detail, Not(HasSubstr("s3cr3t")));
  }
}

TEST(Request, TargetsAreEncoded) {
  Target target("/v1/streams/" + wire::percent_encode("order/1 \xC3\xA9?"));
  target.add("after", 7).add({{"type", "order.*"}, {"label.a&b", "x=y+z"}});
  EXPECT_EQ(target.text(),
            "/v1/streams/order%2F1%20%C3%A9%3F?after=7&type=order.%2A&label.a%26b=x%3Dy%2Bz");
}

}  // namespace
}  // namespace annals::client
