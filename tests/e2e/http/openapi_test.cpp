// The interface as it is described, against the server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/routes.hpp"
#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using nlohmann::json;

/// The first member of `value` that `schema` does not name; empty when it knows them all.
std::string unknown_member(const json& all, const json& schema, const json& value) {
  if (schema.contains("$ref")) {
    const std::string name = schema["$ref"];
    return unknown_member(all, all["components"]["schemas"][name.substr(name.rfind('/') + 1)],
                          value);
  }
  for (const char* choice : {"anyOf", "allOf"}) {
    if (!schema.contains(choice)) continue;
    // Good enough for ours: the first alternative is the one that is told apart by its members.
    return unknown_member(all, schema[choice][0], value);
  }
  if (value.is_array()) {
    for (const json& item : value) {
      if (auto name = unknown_member(all, schema["items"], item); !name.empty()) return name;
    }
  }
  if (!value.is_object() || !schema.contains("properties")) return "";
  for (const json& required : schema.value("required", json::array())) {
    if (!value.contains(required.get<std::string>())) return "missing " + required.dump();
  }
  for (const auto& [name, inner] : value.items()) {
    if (!schema["properties"].contains(name)) return name;
    if (auto found = unknown_member(all, schema["properties"][name], inner); !found.empty()) {
      return name + "." + found;
    }
  }
  return "";
}

class OpenApi : public testing::TestWithParam<Backend> {
 public:
  RunningServer server{GetParam()};
  json document = parsed(server.get("/openapi.json"));

  /// Gets `target`, and holds its answer against the description of `pattern`.
  void expect_described(const std::string& target, const std::string& pattern,
                        const HttpClient::Fields& fields = {}) {
    const auto answer = server.get(target, fields);
    const json& responses = document["paths"][pattern]["get"]["responses"];
    const std::string status = std::to_string(answer.status);
    ASSERT_TRUE(responses.contains(status)) << target << ' ' << status;
    const std::string media = answer.header("content-type");
    const json& content = responses[status]["content"];
    ASSERT_TRUE(content.contains(media)) << target << ' ' << media;
    if (media.find("json") == std::string::npos) return;
    const json body = parsed(answer);
    EXPECT_EQ(unknown_member(document, content[media]["schema"], body), "")
        << target << ' ' << body;
    if (answer.status >= 400) {
      EXPECT_THAT(responses[status]["description"].get<std::string>(),
                  testing::HasSubstr(body["code"].get<std::string>()))
          << target;
    }
  }
};

TEST_P(OpenApi, IsServedToEverybody) {
  server.create_key("admin", {"*"}, {ReadGrant::all()});
  const auto answer = server.get("/openapi.json");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("content-type"), "application/json");
  EXPECT_EQ(parsed(answer)["openapi"], "3.1.0");
}

TEST_P(OpenApi, AnswersAreAsDescribed) {
  server.append(
      R"({"type":"a.b","source":"s","stream":"o","actor":{"kind":"user","id":"7"},)"
      R"("scope":{"space_id":"sp","channel_id":"ch","thread_id":"th"},"audience":"user/7",)"
      R"("resource":{"kind":"order","id":"9","version":3},"labels":{"l":"v"},"truncated":true,)"
      R"("client_msg_id":"m","causation_id":"0af76519-16cd-43dd-8448-eb211c80319c",)"
      R"("payload":{"x":1}})",
      {{"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}});
  server.append(R"({"type":"a.b","stream":"o"})");
  for (const auto& [target, pattern] : std::vector<std::pair<std::string, std::string>>{
           {"/v1/events?after=0", "/v1/events"},
           {"/v1/events?order=desc&limit=1", "/v1/events"},
           {"/v1/events?after=7", "/v1/events"},
           {"/v1/events?after=x", "/v1/events"},
           {"/v1/events?limit=0", "/v1/events"},
           {"/v1/events?since=yesterday", "/v1/events"},
           {"/v1/events?nonsense=1", "/v1/events"},
           {"/v1/events/stream?since=yesterday", "/v1/events/stream"},
           {"/v1/events/stream?nonsense=1", "/v1/events/stream"},
           {"/v1/events/1", "/v1/events/{event}"},
           {"/v1/events/2", "/v1/events/{event}"},
           {"/v1/events/9", "/v1/events/{event}"},
           {"/v1/events/one", "/v1/events/{event}"},
           {"/v1/events/1?form=header&hashed=1", "/v1/events/{event}"},
           {"/v1/streams", "/v1/streams"},
           {"/v1/streams/o", "/v1/streams/{stream}"},
           {"/v1/streams/none", "/v1/streams/{stream}"},
           {"/v1/streams/o/events", "/v1/streams/{stream}/events"},
           {"/v1/streams/o/events?after=9", "/v1/streams/{stream}/events"},
           {"/v1/streams/o/verify", "/v1/streams/{stream}/verify"},
           {"/v1/log", "/v1/log"},
           {"/openapi.json", "/openapi.json"},
           {"/metrics", "/metrics"},
           {"/healthz", "/healthz"},
           {"/readyz", "/readyz"}}) {
    expect_described(target, pattern);
  }
  expect_described("/v1/events?after=0", "/v1/events",
                   {{"Accept", "application/cloudevents-batch+json"}});
  expect_described("/v1/events/1", "/v1/events/{event}",
                   {{"Accept", "application/cloudevents+json"}});
}

TEST_P(OpenApi, EveryRouteKnowsItsOwnParametersOnly) {
  server.fill(2);
  for (const server::Route& route : server::routes()) {
    if (route.method != server::Method::get) continue;
    std::string path{route.pattern};
    if (const auto at = path.find("{event}"); at != std::string::npos) path.replace(at, 7, "1");
    if (const auto at = path.find("{stream}"); at != std::string::npos) path.replace(at, 8, "s");
    const auto code = [&](const std::string& query) -> std::string {
      const auto answer = server.get(path + "?" + query);
      return answer.status < 400 ? "" : parsed(answer)["code"];
    };
    EXPECT_EQ(code("no_such_parameter=1"), route.closed ? "unknown_parameter" : "") << path;
    if (path == "/v1/events/stream") continue;  // a good answer does not end
    EXPECT_NE(code("_=1&cb=2"), "unknown_parameter") << path;
    for (const server::Parameter& parameter : route.query) {
      const bool refused = code(std::string{parameter.name} + "=") == "unknown_parameter";
      EXPECT_EQ(refused, parameter.use == server::Use::stream) << path << ' ' << parameter.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, OpenApi, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace annals::test
