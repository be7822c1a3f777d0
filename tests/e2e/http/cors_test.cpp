// Pages of other origins, as browsers ask for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* app = "https://app.example.com";

HttpClient::Fields from(const std::string& origin) {
  return {{"Origin", origin}};
}

HttpClient::Fields preflight(const std::string& origin, const std::string& method = "GET") {
  return {{"Origin", origin}, {"Access-Control-Request-Method", method}};
}

server::ServerOptions listing(std::string origins) {
  server::ServerOptions options;
  options.cors_origins = std::move(origins);
  return options;
}

/// Names of fields of an answer that speak to browsers about origins.
std::vector<std::string> cors_fields(const HttpResponse& response) {
  std::vector<std::string> names;
  for (const auto& [name, value] : response.fields) {
    if (name.starts_with("access-control-") || name == "vary") names.push_back(name);
  }
  return names;
}

class Cors : public testing::TestWithParam<Backend> {
 public:
  RunningServer server{GetParam(), listing("https://app.example.com, http://localhost:3000")};
  std::string key = server.create_key("admin", {"*"}, {ReadGrant::all()});

  HttpClient::Fields keyed(HttpClient::Fields fields) const {
    fields.emplace_back("X-API-Key", key);
    return fields;
  }
};

TEST_P(Cors, AListedOriginReadsAnswersAndTheirHeaders) {
  for (const char* origin : {app, "http://localhost:3000"}) {
    const auto answer = server.get("/v1/events", keyed(from(origin)));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("access-control-allow-origin"), origin);
    EXPECT_EQ(answer.header("vary"), "Origin");
    for (const char* header : {"Annals-Stream", "Annals-Head", "Retry-After", "ETag"})
      EXPECT_THAT(answer.header("access-control-expose-headers"), HasSubstr(header));
    EXPECT_EQ(answer.header("access-control-allow-credentials"), "");
  }
}

TEST_P(Cors, SoDoStreamsLinesAndProblems) {
  SseClient stream{server.port(), "/v1/events/stream", keyed(from(app))};
  EXPECT_EQ(stream.head().header("access-control-allow-origin"), app);
  EXPECT_EQ(stream.head().header("annals-stream"), "complete");
  auto lines = keyed(from(app));
  lines.emplace_back("Accept", "application/x-ndjson");
  EXPECT_EQ(server.get("/v1/events", lines).header("access-control-allow-origin"), app);
  const auto refused = server.get("/v1/events", from(app));
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.header("access-control-allow-origin"), app);
  auto posted = keyed(from(app));
  EXPECT_EQ(server.append(event_json(), posted).header("access-control-allow-origin"), app);
}

TEST_P(Cors, APreflightIsAnsweredWithoutAKey) {
  const auto answer = server.request("OPTIONS", "/v1/events", preflight(app, "POST"));
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(answer.header("content-length"), "");
  EXPECT_EQ(answer.header("access-control-allow-origin"), app);
  EXPECT_EQ(answer.header("access-control-allow-methods"), "POST, GET, HEAD");
  EXPECT_EQ(answer.header("access-control-max-age"), "600");
  EXPECT_EQ(answer.header("vary"), "Origin");
  for (const char* header : {"Last-Event-ID", "Authorization", "X-API-Key", "Content-Type",
                             "If-None-Match", "Idempotency-Key", "traceparent"})
    EXPECT_THAT(answer.header("access-control-allow-headers"), HasSubstr(header));
  EXPECT_EQ(server.request("OPTIONS", "/v1/nothing", preflight(app)).status, 404);
  EXPECT_EQ(server.request("OPTIONS", "/v1/events", from(app)).status, 405);
}

TEST_P(Cors, TheConnectionGoesOnAfterAPreflight) {
  HttpClient client{server.port()};
  EXPECT_EQ(client.request("OPTIONS", "/v1/events", preflight(app)).status, 204);
  EXPECT_EQ(client.request("GET", "/v1/events", keyed(from(app))).status, 200);
  // What was said to one request is not repeated to the next.
  EXPECT_EQ(client.request("GET", "/healthz").header("access-control-allow-origin"), "");
}

TEST_P(Cors, SchemeHostAndPortAreComparedExactly) {
  for (const char* origin :
       {"https://app.example.com.evil.example", "http://app.example.com",
        "https://app.example.com:8443", "https://app.example.co", "https://xapp.example.com",
        "https://APP.example.com", "null", "http://localhost:3001", "http://localhost:7420",
        "https://localhost:3000", "http://127.0.0.1:3000", "https://evil.example", "", "*"}) {
    const auto answer = server.get("/v1/events", keyed(from(origin)));
    EXPECT_EQ(answer.status, 403) << origin;
    EXPECT_EQ(parsed(answer)["code"], "not_allowed");
    EXPECT_EQ(answer.header("access-control-allow-origin"), "") << origin;
    EXPECT_EQ(answer.header("vary"), "Origin");
    const auto asked = server.request("OPTIONS", "/v1/events", preflight(origin));
    EXPECT_EQ(asked.status, 403) << origin;
    EXPECT_EQ(asked.header("access-control-allow-origin"), "") << origin;
    EXPECT_EQ(server.get("/v1/events/stream", keyed(from(origin))).status, 403) << origin;
    EXPECT_EQ(server.append(event_json(), keyed(from(origin))).status, 403) << origin;
  }
  EXPECT_EQ(server.get("/v1/events", keyed({{"Origin", app}, {"Origin", app}})).status, 403);
  EXPECT_EQ(server.log().state()->event_seq, 1U) << "nothing but the key's own event";
}

TEST_P(Cors, PagesOfTheServerItselfNeedNoListing) {
  const std::string own = "127.0.0.1:" + std::to_string(server.port());
  const auto answer = server.get("/v1/events", keyed({{"Host", own}, {"Origin", "http://" + own}}));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("access-control-allow-origin"), "");
  EXPECT_EQ(server
                .get("/v1/events", keyed({{"Host", "events.example.com"},
                                          {"Origin", "https://events.example.com"}}))
                .status,
            200);
}

TEST_P(Cors, NobodyElseSendsAnOrigin) {
  EXPECT_EQ(server.get("/v1/events", keyed({})).status, 200);
  EXPECT_EQ(server.get("/v1/events", keyed({})).header("vary"), "Origin");
}

INSTANTIATE_TEST_SUITE_P(Backends, Cors, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

TEST(CorsOff, BrowsersAreToldNothing) {
  RunningServer server{Backend::memory};
  const std::string key = server.create_key("admin", {"*"}, {ReadGrant::all()});
  auto fields = from(app);
  fields.emplace_back("X-API-Key", key);
  const auto answer = server.get("/v1/events", fields);
  EXPECT_EQ(answer.status, 200) << "the browser keeps it from the page";
  EXPECT_THAT(cors_fields(answer), IsEmpty());
  const auto asked = server.request("OPTIONS", "/v1/events", preflight(app));
  EXPECT_EQ(asked.status, 405);
  EXPECT_THAT(cors_fields(asked), IsEmpty());
}

TEST(CorsOff, APageOfAnotherOriginIsRefusedWhereNoKeyProtects) {
  RunningServer server{Backend::memory};
  const std::string own = "localhost:" + std::to_string(server.port());
  for (const char* origin : {"https://evil.example", "http://localhost:3000", "null"}) {
    EXPECT_EQ(server.get("/v1/events/stream", from(origin)).status, 403) << origin;
    EXPECT_EQ(server.get("/v1/events", from(origin)).status, 403) << origin;
    EXPECT_EQ(server.append(event_json(), from(origin)).status, 403) << origin;
  }
  EXPECT_EQ(server.server().subscribers(), 0U);
  EXPECT_EQ(server.log().state()->event_seq, 0U);
  EXPECT_EQ(server.append(event_json(), {{"Host", own}, {"Origin", "http://" + own}}).status, 201);
}

TEST(CorsOpen, AListedOriginMayUseALogWithoutAKey) {
  RunningServer server{Backend::memory, listing("http://localhost:3000")};
  EXPECT_EQ(server.append(event_json(), from("http://localhost:3000")).status, 201);
  EXPECT_EQ(server.append(event_json(), from("http://localhost:3001")).status, 403);
}

TEST(CorsOptions, MustBeOrigins) {
  TestLog log{Backend::memory};
  server::ServerOptions options = listing("https://*.example.com");
  options.listen = "127.0.0.1:0";
  server::Server server{*log, options};
  const auto port = server.start();
  ASSERT_FALSE(port);
  EXPECT_EQ(port.error().code, ErrorCode::invalid_request);
}

}  // namespace
}  // namespace annals::test
