// CloudEvents 1.0 in and out, in structured, batch and binary mode.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

#include "annals/record.hpp"
#include "annals/time.hpp"
#include "annals/uuid.hpp"
#include "testing/event_gen.hpp"
#include "testing/seed.hpp"
#include "tests/e2e/http/running_server.hpp"
#include "wire/event_writer.hpp"
#include "wire/query.hpp"
#include "wire/resource_subject.hpp"

namespace annals::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* structured = "application/cloudevents+json";
constexpr const char* batch = "application/cloudevents-batch+json";
constexpr const char* trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// A CloudEvent with the id of this number; `more` is added to it, beginning with a comma.
std::string cloud_event(int number, const std::string& more = "") {
  return R"({"specversion":"1.0","id":"0190a000-0000-7000-8000-00000000000)" +
         std::to_string(number) + R"(","source":"/shop","type":"order.paid")" + more + "}";
}

class CloudEvents : public testing::TestWithParam<Backend> {
 public:
  RunningServer server{GetParam()};

  HttpResponse post(const char* type, std::string_view body, HttpClient::Fields fields = {}) const {
    fields.emplace_back("Content-Type", type);
    return server.request("POST", "/v1/events", fields, body);
  }

  json envelope(int seq) const { return parsed(server.get("/v1/events/" + std::to_string(seq))); }

  /// Pointer and rule of every violation of a refused append.
  static std::set<std::string> violations(const HttpResponse& answer) {
    EXPECT_EQ(answer.status, 400) << answer.body;
    std::set<std::string> names;
    const json problem = parsed(answer);
    for (const json& violation : problem["violations"]) {
      names.insert(violation["pointer"].get<std::string>() + " " +
                   violation["rule"].get<std::string>());
    }
    return names;
  }
};

TEST_P(CloudEvents, OneIsAppendedAndReadAgain) {
  const auto answer = post("application/cloudevents+json; charset=UTF-8",
                           cloud_event(1, R"(,"time":"2026-01-02T03:04:05Z","subject":"order/9",)"
                                          R"("partitionkey":"order/9","traceparent":")" +
                                              std::string{trace} + R"(","data":{"n":1.50})"));
  EXPECT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(answer.header("content-type"), "application/json");
  EXPECT_EQ(parsed(answer)["seq"], 1);
  const json stored = envelope(1);
  EXPECT_EQ(stored["source"], "/shop");
  EXPECT_EQ(stored["occurred_at"], "2026-01-02T03:04:05.000000Z");
  EXPECT_EQ(stored["resource"], (json{{"kind", "order"}, {"id", "9"}}));
  EXPECT_EQ(stored["stream"]["name"], "order/9");
  EXPECT_EQ(stored["trace_context"], trace);
  EXPECT_EQ(stored["correlation_id"], "0af76519-16cd-43dd-8448-eb211c80319c");

  const auto shown = server.get("/v1/events/1", {{"Accept", structured}});
  EXPECT_EQ(shown.status, 200);
  EXPECT_EQ(shown.header("content-type"), structured);
  const json out = parsed(shown);
  EXPECT_EQ(out["id"], "0190a000-0000-7000-8000-000000000001");
  EXPECT_EQ(out["source"], "/logs/" + to_string(server.log().state()->log_id) + "//shop");
  EXPECT_EQ(out["subject"], "order/9");
  EXPECT_EQ(out["partitionkey"], "order/9");
  EXPECT_EQ(out["sequence"], "00000000000000000001");
  EXPECT_EQ(out["recordedtime"], stored["recorded_at"]);
  EXPECT_EQ(out["traceparent"], trace);
  EXPECT_THAT(shown.body, HasSubstr(R"("data":{"n":1.50}})"));
}

TEST_P(CloudEvents, ARepeatIsKnown) {
  EXPECT_EQ(post(structured, cloud_event(1)).status, 201);
  const auto again = post(structured, cloud_event(1));
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(parsed(again)["duplicate"], true);
  EXPECT_EQ(post(structured, cloud_event(1, R"(,"data":{"a":1})")).status, 409);
}

TEST_P(CloudEvents, ABatchIsOneRequest) {
  const auto answer =
      post(batch,
           "[" + cloud_event(1) + "," +
               cloud_event(2, R"(,"traceparent":")" + std::string{trace} + '"') + "]",
           {{"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}});
  EXPECT_EQ(answer.status, 201) << answer.body;
  EXPECT_THAT(parsed(answer)["events"], SizeIs(2));
  EXPECT_EQ(envelope(1)["correlation_id"], "4bf92f35-77b3-4da6-a3ce-929d0e0e4736");
  EXPECT_EQ(envelope(2)["correlation_id"], "0af76519-16cd-43dd-8448-eb211c80319c");
  EXPECT_EQ(violations(post(
                batch, "[" + cloud_event(3) + "," + cloud_event(4, R"(,"sequence":"4")") + "]")),
            (std::set<std::string>{"/sequence assigned_by_log"}));
  EXPECT_EQ(parsed(server.get("/v1/log"))["head"], 2) << "all or nothing";
  EXPECT_EQ(parsed(post(batch, cloud_event(3)))["code"], "invalid_request");
  EXPECT_EQ(parsed(post(structured, "[" + cloud_event(3) + "]"))["code"], "invalid_request");
}

TEST_P(CloudEvents, BinaryModeHasItsAttributesInTheHead) {
  HttpClient::Fields fields{{"ce-specversion", "1.0"},
                            {"CE-ID", "0190a000-0000-7000-8000-000000000001"},
                            {"ce-source", "/shop"},
                            {"ce-type", "order.paid"},
                            {"ce-subject", "order/caf%C3%A9"},
                            {"ce-traceparent", trace}};
  const auto answer = post("application/json", R"({"n":1.50})", fields);
  EXPECT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(envelope(1)["resource"]["id"], "caf\xC3\xA9");
  EXPECT_EQ(envelope(1)["trace_context"], trace);

  const auto shown = server.get("/v1/events/1", {{"Accept", "application/cloudevents"}});
  EXPECT_EQ(shown.header("content-type"), "application/json");
  EXPECT_EQ(shown.body, R"({"n":1.50})");
  EXPECT_EQ(shown.header("ce-specversion"), "1.0");
  EXPECT_EQ(shown.header("ce-id"), "0190a000-0000-7000-8000-000000000001");
  EXPECT_EQ(shown.header("ce-subject"), "order/caf%C3%A9");
  EXPECT_EQ(shown.header("ce-sequence"), "00000000000000000001");
  EXPECT_EQ(shown.header("ce-traceparent"), trace);

  fields[1].second = "0190a000-0000-7000-8000-000000000002";
  EXPECT_EQ(server.request("POST", "/v1/events", fields).status, 201) << "without data";
  EXPECT_EQ(envelope(2)["payload"], json::object());
  EXPECT_EQ(post("text/plain", "text", fields).status, 415);
  EXPECT_EQ(violations(post("application/json", "{}", {{"ce-id", "7"}, {"ce-foo", "1"}})),
            (std::set<std::string>{"/specversion required", "/id uuid", "/source required",
                                   "/type required", "/foo unknown_attribute"}));
}

TEST_P(CloudEvents, WhatIsWrongIsNamedAsItsProducerNamesIt) {
  EXPECT_EQ(violations(post(structured, cloud_event(1, R"(,"partitionkey":"$own",)"
                                                       R"("data":{"a":[null]})"))),
            (std::set<std::string>{"/partitionkey reserved", "/data/a/0 null"}))
      << "by the rules of events alone";
  EXPECT_EQ(violations(post(structured, cloud_event(1, R"(,"partitionkey":"$own","stream":"s")"))),
            (std::set<std::string>{"/partitionkey reserved", "/stream unknown_attribute"}))
      << "and beside those of CloudEvents";
  const auto warned = post(structured, cloud_event(1, R"(,"partitionkey":"alex@example.com")"));
  EXPECT_EQ(parsed(warned)["warnings"][0]["pointer"], "/partitionkey");
  EXPECT_EQ(post("application/cloudevents+xml", "<event/>").status, 415);
}

TEST_P(CloudEvents, WhatTheLogShowsIsNotTakenBackAsItIs) {
  server.append(R"({"type":"a.b","truncated":true})");
  const std::string shown = server.get("/v1/events/1", {{"Accept", structured}}).body;
  EXPECT_EQ(violations(post(structured, shown)),
            (std::set<std::string>{"/sequence assigned_by_log", "/recordedtime assigned_by_log",
                                   "/dataref assigned_by_log"}));
}

TEST_P(CloudEvents, OnlyATypeThatIsNamedChoosesThem) {
  server.append(R"({"type":"a.b"})");
  for (const char* accept :
       {"*/*", "application/*", "application/json, application/cloudevents+json",
        "application/cloudevents+json;q=0, */*"}) {
    const auto one = server.get("/v1/events/1", {{"Accept", accept}});
    EXPECT_EQ(one.header("content-type"), "application/json") << accept;
    EXPECT_TRUE(parsed(one).contains("seq")) << accept;
    EXPECT_TRUE(one.header("ce-id").empty()) << accept;
  }
  EXPECT_TRUE(parsed(server.get("/v1/events", {{"Accept", "*/*"}})).contains("events"));
  EXPECT_TRUE(
      parsed(server.get("/v1/events/1?form=header", {{"Accept", structured}})).contains("key_id"));
}

TEST_P(CloudEvents, ABatchIsAPageWithItsCountersInTheHead) {
  server.fill(5);
  const auto first = server.get("/v1/events?limit=2", {{"Accept", batch}});
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.header("content-type"), batch);
  const json page = parsed(server.get("/v1/events?limit=2"));
  EXPECT_EQ(first.header("annals-next-after"), "2");
  EXPECT_EQ(first.header("annals-head"), "5");
  EXPECT_EQ(first.header("annals-oldest"), "1");
  EXPECT_EQ(first.header("annals-caught-up"), "false");
  EXPECT_EQ(page["log_id"], first.header("annals-log-id"));
  EXPECT_EQ(first.header("vary"), "Accept");
  ASSERT_THAT(parsed(first), SizeIs(2));
  EXPECT_EQ(parsed(first)[1]["sequence"], "00000000000000000002");
  EXPECT_EQ(parsed(first)[1]["id"], page["events"][1]["id"]);

  const std::string tag = first.header("etag");
  EXPECT_NE(tag, server.get("/v1/events?limit=2").header("etag"));
  EXPECT_EQ(server.get("/v1/events?limit=2", {{"Accept", batch}, {"If-None-Match", tag}}).status,
            304);
  EXPECT_EQ(server.get("/v1/events?limit=2", {{"If-None-Match", tag}}).status, 200);

  const auto newest = server.get("/v1/events?order=desc&limit=2", {{"Accept", batch}});
  EXPECT_EQ(newest.header("annals-next-before"), "4");
  const auto end = server.get("/v1/events?after=5", {{"Accept", batch}});
  EXPECT_EQ(end.body, "[]");
  EXPECT_EQ(end.header("annals-caught-up"), "true");
  EXPECT_EQ(server.get("/v1/events?format=payload", {{"Accept", batch}}).status, 400);
  EXPECT_EQ(server.get("/v1/events?format=cloudevents", {{"Accept", batch}}).status, 200);
}

TEST_P(CloudEvents, TheFormatIsThatOfPagesLinesAndStreams) {
  server.append(R"({"type":"a.b","stream":"s","payload":{"n":1.50}})");
  server.append(R"({"type":"a.c"})");
  const std::string first = server.get("/v1/events/1", {{"Accept", structured}}).body;
  const std::string second = server.get("/v1/events/2", {{"Accept", structured}}).body;
  EXPECT_THAT(server.get("/v1/events?format=cloudevents").body,
              HasSubstr(R"({"events":[)" + first + "," + second + R"(],"next_after":2)"));
  EXPECT_EQ(server.get("/v1/events?format=cloudevents", {{"Accept", "application/x-ndjson"}}).body,
            first + "\n" + second + "\n");
  SseClient stream{server.port(), "/v1/events/stream?after=0&format=cloudevents"};
  SseClient filtered{server.port(), "/v1/events/stream?after=0&format=cloudevents&type=a.c"};
  EXPECT_EQ(stream.next_frame()->data, first);
  EXPECT_EQ(stream.next_frame()->data, second);
  EXPECT_EQ(stream.next_frame()->data, R"({"head":2})");
  EXPECT_EQ(filtered.next_frame()->data, second);
  server.append(R"({"type":"a.c"})");
  const auto live = stream.next_frame();
  EXPECT_EQ(live->seq(), 3U);
  EXPECT_EQ(live->data, server.get("/v1/events/3", {{"Accept", structured}}).body);
}

TEST_P(CloudEvents, ShowATraceToThePrivilegedOnly) {
  const HttpClient::Fields admin{
      {"X-API-Key", server.create_key("admin", {"*"}, {ReadGrant::all()})}};
  const std::string secret =
      server.create_key({.name = "reader", .append = {}, .read = {*parse_read_grant("type=a.*")}});
  server.append(R"({"type":"a.b"})", {admin[0], {"traceparent", trace}});
  const auto seq = parsed(server.get("/v1/log", admin))["head"].get<std::uint64_t>();
  const auto target = "/v1/events/" + std::to_string(seq);
  const auto shown = [&](const std::string& key, const char* accept) {
    return server.get(target, {{"X-API-Key", key}, {"Accept", accept}});
  };
  EXPECT_EQ(parsed(shown(admin[0].second, structured))["traceparent"], trace);
  EXPECT_FALSE(parsed(shown(secret, structured)).contains("traceparent"));
  EXPECT_EQ(shown(admin[0].second, "application/cloudevents").header("ce-traceparent"), trace);
  EXPECT_EQ(shown(secret, "application/cloudevents").header("ce-traceparent"), "");
  const auto streamed = [&](const std::string& key) {
    SseClient stream{server.port(),
                     "/v1/events/stream?after=" + std::to_string(seq - 1) + "&format=cloudevents",
                     {{"X-API-Key", key}}};
    return stream.next_frame()->data;
  };
  EXPECT_THAT(streamed(admin[0].second), HasSubstr("traceparent"));
  EXPECT_THAT(streamed(secret), testing::Not(HasSubstr("traceparent")));
}

/// What of a random event has an attribute.
NewEvent mappable(EventGen& events) {
  NewEvent all = events.event();
  NewEvent event;
  event.id = events.uuid();
  event.type = all.type;
  event.source = all.source.value_or("s");
  event.stream = all.stream;
  event.occurred_at = all.occurred_at;
  if (all.resource.kind) event.resource = {all.resource.kind, all.resource.id, std::nullopt};
  event.payload = all.payload;
  return event;
}

/// The attributes of an event, as its producer would write them.
std::vector<std::pair<std::string, std::string>> attributes_of(const NewEvent& event) {
  std::vector<std::pair<std::string, std::string>> out{{"specversion", "1.0"},
                                                       {"id", to_string(*event.id)},
                                                       {"source", *event.source},
                                                       {"type", event.type}};
  if (event.occurred_at) out.emplace_back("time", to_string(*event.occurred_at));
  if (event.stream) out.emplace_back("partitionkey", *event.stream);
  if (const auto subject = wire::subject_of(event.resource)) out.emplace_back("subject", *subject);
  return out;
}

std::string structured_text(const NewEvent& event) {
  json attributes;
  for (const auto& [name, value] : attributes_of(event))
    attributes[name] = value;
  std::string out = attributes.dump();
  out.back() = ',';
  return out + "\"data\":" + event.payload + "}";
}

/// The header of an event without what each log says for itself, and its payload.
std::pair<Header, std::string> content(EventLog& log, const Uuid& id) {
  const auto record = log.find(id);
  if (!record) {
    ADD_FAILURE() << record.error().detail;
    return {};
  }
  Header header = record->header;
  header.log_id = header.key_id = Uuid{};
  header.recorded_at = Timestamp{};
  header.payload_digest = Digest{};
  header.meta_digest.reset();
  return {header, record->payload->bytes};
}

TEST_P(CloudEvents, AnEventIsTheSameHoweverItIsSent) {
  EventGen events{seed()};
  RunningServer other{GetParam()};
  for (int round = 0; round < 120; ++round) {
    const NewEvent event = mappable(events);
    std::string envelope;
    wire::append_new_event(envelope, event);
    ASSERT_EQ(other.append(envelope).status, 201) << envelope;
    HttpResponse answer;
    if (round % 3 == 0) {
      answer = post(structured, structured_text(event));
    } else if (round % 3 == 1) {
      answer = post(batch, "[" + structured_text(event) + "]");
    } else {
      HttpClient::Fields fields;
      for (const auto& [name, value] : attributes_of(event))
        fields.emplace_back("ce-" + name, wire::percent_encode(value));
      answer = post("application/json", event.payload, fields);
    }
    ASSERT_EQ(answer.status, 201) << answer.body << ' ' << envelope;
    const auto sent = content(server.log(), *event.id);
    auto expected = content(other.log(), *event.id);
    if (!event.occurred_at) expected.first.occurred_at = sent.first.occurred_at;
    ASSERT_EQ(sent, expected) << envelope;

    // What is shown leads back to the event, but for what the log says of it.
    const auto text =
        server.get("/v1/events/" + to_string(*event.id), {{"Accept", structured}}).body;
    const json shown = json::parse(text.substr(0, text.find(R"(,"data":)")) + '}');
    EXPECT_TRUE(text.ends_with("\"data\":" + expected.second + '}')) << text;
    for (const auto& [name, value] : attributes_of(event)) {
      if (name == "source") {
        EXPECT_EQ(wire::percent_decode(shown[name].get<std::string>(), false),
                  "/logs/" + to_string(server.log().state()->log_id) + "/" + value);
      } else {
        EXPECT_EQ(shown[name], value) << name;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, CloudEvents, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace annals::test
