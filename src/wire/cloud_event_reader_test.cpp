#include "wire/cloud_event_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "annals/time.hpp"
#include "annals/uuid.hpp"

namespace annals::wire {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr const char* trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// A CloudEvent with what every one has; `more` is added to its members, beginning with a comma.
std::string cloud_event(const std::string& more = "") {
  return R"({"specversion":"1.0","id":"0190a000-0000-7000-8000-000000000001","source":"/shop",)"
         R"("type":"order.paid")" +
         more + "}";
}

using Names = std::vector<std::pair<std::string, std::string>>;

Names names_of(const std::vector<Violation>& violations) {
  Names names;
  for (const Violation& violation : violations)
    names.emplace_back(violation.pointer, violation.rule);
  return names;
}

/// Pointer and rule of what is wrong with one CloudEvent.
Names wrong(std::string_view json) {
  std::vector<Violation> violations;
  (void)read_cloud_event(json, 0, violations);
  return names_of(violations);
}

Names wrong_with(const std::string& more) {
  return wrong(cloud_event(more));
}

TEST(CloudEventReader, MapsEveryAttribute) {
  std::vector<Violation> violations;
  const auto incoming = read_cloud_event(
      cloud_event(R"(,"time":"2026-01-02T03:04:05.5+01:00","subject":"a%2Fb/1/2",)"
                  R"("partitionkey":"order/1","datacontenttype":"application/json; charset=UTF-8",)"
                  R"("traceparent":")" +
                  std::string{trace} + R"(","data":{"n": 1.0 })"),
      0, violations);
  EXPECT_THAT(violations, IsEmpty());
  EXPECT_TRUE(incoming.complete);
  NewEvent expected;
  expected.id = parse_uuid("0190a000-0000-7000-8000-000000000001");
  expected.type = "order.paid";
  expected.source = "/shop";
  expected.occurred_at = parse_timestamp("2026-01-02T02:04:05.5Z");
  expected.resource = {"a/b", "1/2", std::nullopt};
  expected.stream = "order/1";
  expected.payload = R"({"n": 1.0 })";
  EXPECT_EQ(incoming.event, expected);
  EXPECT_EQ(incoming.traceparent, trace);
}

TEST(CloudEventReader, WithoutDataHasAnEmptyPayload) {
  std::vector<Violation> violations;
  const auto incoming = read_cloud_event(cloud_event(), 0, violations);
  EXPECT_THAT(violations, IsEmpty());
  EXPECT_EQ(incoming.event.payload, "{}");
  EXPECT_FALSE(incoming.event.stream || incoming.event.occurred_at || incoming.traceparent);
}

TEST(CloudEventReader, NeedsWhatEveryCloudEventHas) {
  EXPECT_THAT(wrong("{}"), ElementsAre(Pair("/specversion", "required"), Pair("/id", "required"),
                                       Pair("/source", "required"), Pair("/type", "required")));
  EXPECT_THAT(
      wrong(R"({"specversion":"0.3","id":"7","source":"s","type":null})"),
      ElementsAre(Pair("/specversion", "enum"), Pair("/id", "uuid"), Pair("/type", "required")));
}

TEST(CloudEventReader, RefusesByNameWhatHasNoPlace) {
  EXPECT_THAT(
      wrong_with(R"(,"dataschema":"https://example.com/s","tracestate":"a=1","stream":"s",)"
                 R"("expected_version":1,"myextension":5,"data_base64":"e30=")"),
      ElementsAre(
          Pair("/dataschema", "unknown_attribute"), Pair("/tracestate", "unknown_attribute"),
          Pair("/stream", "unknown_attribute"), Pair("/expected_version", "unknown_attribute"),
          Pair("/myextension", "unknown_attribute"), Pair("/data_base64", "unknown_attribute")));
}

TEST(CloudEventReader, RefusesByNameWhatTheLogAssigns) {
  EXPECT_THAT(
      wrong_with(R"(,"sequence":"1","recordedtime":"x","dataref":"x","redacted":true)"),
      ElementsAre(Pair("/sequence", "assigned_by_log"), Pair("/recordedtime", "assigned_by_log"),
                  Pair("/dataref", "assigned_by_log"), Pair("/redacted", "assigned_by_log")));
}

TEST(CloudEventReader, RefusesValuesThatDoNotMap) {
  EXPECT_THAT(wrong_with(R"(,"time":"yesterday","subject":"picture.jpg","traceparent":"00",)"
                         R"("datacontenttype":"text/plain","data":"text")"),
              ElementsAre(Pair("/time", "time"), Pair("/subject", "subject"),
                          Pair("/traceparent", "traceparent"), Pair("/datacontenttype", "enum"),
                          Pair("/data", "type")));
  EXPECT_THAT(
      wrong_with(R"(,"partitionkey":5,"subject":true,"data":null)"),
      ElementsAre(Pair("/partitionkey", "type"), Pair("/subject", "type"), Pair("/data", "type")));
  for (const char* type : {"application/cloudevents+json", "application/json; profile=x", ""}) {
    EXPECT_THAT(wrong_with(R"(,"datacontenttype":")" + std::string{type} + '"'),
                ElementsAre(Pair("/datacontenttype", "enum")));
  }
}

TEST(CloudEventReader, ANullAttributeIsAnAbsentOne) {
  EXPECT_THAT(wrong_with(R"(,"subject":null,"time":null,"sequence":null,"myextension":null)"),
              IsEmpty());
}

TEST(CloudEventReader, TellsOfTextsThatAreNoJson) {
  std::vector<Violation> violations;
  EXPECT_FALSE(read_cloud_event(R"({"specversion":"1.0","id")", 3, violations).complete);
  ASSERT_THAT(violations, SizeIs(1));
  EXPECT_EQ(violations.front().index, 3U);
  EXPECT_THAT(wrong_with(R"(,"id":"0190a000-0000-7000-8000-000000000001")"),
              ElementsAre(Pair("/id", "duplicate_key")));
}

TEST(CloudEventReader, OneEventIsNoArrayAndABatchIs) {
  const auto code = [](const Result<IncomingRequest>& request) {
    return request ? ErrorCode::internal : request.error().code;
  };
  EXPECT_EQ(code(read_cloud_event_request(cloud_event())), ErrorCode::internal);
  EXPECT_EQ(code(read_cloud_event_request("[" + cloud_event() + "]")), ErrorCode::invalid_request);
  EXPECT_EQ(code(read_cloud_event_request("")), ErrorCode::invalid_request);
  EXPECT_EQ(code(read_cloud_event_batch(cloud_event(), 5)), ErrorCode::invalid_request);
  EXPECT_EQ(code(read_cloud_event_batch("[]", 5)), ErrorCode::invalid_request);
  EXPECT_EQ(code(read_cloud_event_batch("[" + cloud_event() + "," + cloud_event() + "]", 1)),
            ErrorCode::too_large);
}

TEST(CloudEventReader, EventsOfABatchHaveTheirOwnTraces) {
  const auto request = read_cloud_event_batch(
      "[" + cloud_event() + "," + cloud_event(R"(,"traceparent":")" + std::string{trace} + '"') +
          ",{}]",
      5);
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->array);
  EXPECT_THAT(request->traceparents, ElementsAre(std::nullopt, trace));
  EXPECT_EQ(request->violations.front().index, 2U);
}

/// What binary mode has in the head for every event, and `more`.
std::vector<AttributeField> fields(std::vector<AttributeField> more = {}) {
  std::vector<AttributeField> all{{"specversion", "1.0"},
                                  {"id", "0190a000-0000-7000-8000-000000000001"},
                                  {"source", "/shop"},
                                  {"type", "order.paid"}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(CloudEventReader, BinaryModeHasItsAttributesInTheHead) {
  const auto request = read_binary_cloud_event(fields({{"partitionkey", "caf%C3%A9%20100%25"},
                                                       {"subject", R"("order/\"1\"")"},
                                                       {"time", "2026-01-02T03:04:05Z"},
                                                       {"traceparent", trace}}),
                                               R"({"a":1})");
  EXPECT_THAT(request.violations, IsEmpty());
  EXPECT_FALSE(request.array);
  ASSERT_THAT(request.events, SizeIs(1));
  const NewEvent& event = request.events.front();
  EXPECT_EQ(event.stream, "caf\xC3\xA9 100%");
  EXPECT_EQ(event.resource, (Resource{"order", "\"1\"", std::nullopt}));
  EXPECT_EQ(event.occurred_at, parse_timestamp("2026-01-02T03:04:05Z"));
  EXPECT_EQ(event.payload, R"({"a":1})");
  EXPECT_THAT(request.traceparents, ElementsAre(trace));
  EXPECT_EQ(read_binary_cloud_event(fields(), "").events.front().payload, "{}");
}

TEST(CloudEventReader, BinaryModeIsRefusedByName) {
  const auto wrong_fields = [](const std::vector<AttributeField>& all, std::string_view body) {
    return names_of(read_binary_cloud_event(all, body).violations);
  };
  EXPECT_THAT(wrong_fields({}, ""), SizeIs(4));
  EXPECT_THAT(
      wrong_fields(fields({{"source", "/other"},
                           {"partitionkey", "100%"},
                           {"datacontenttype", "application/json"},
                           {"sequence", "1"},
                           {"myextension", "1"}}),
                   "[]"),
      UnorderedElementsAre(Pair("/source", "repeated"), Pair("/partitionkey", "percent_encoding"),
                           Pair("/datacontenttype", "unknown_attribute"),
                           Pair("/sequence", "assigned_by_log"),
                           Pair("/myextension", "unknown_attribute"), Pair("/data", "type")));
  const auto broken = read_binary_cloud_event(fields(), R"({"a":{"b":nul}})");
  ASSERT_THAT(broken.violations, SizeIs(1));
  EXPECT_EQ(broken.violations.front().pointer, "/data/a/b");
  EXPECT_THAT(broken.incomplete, ElementsAre(0));
}

TEST(CloudEventReader, NamesMembersAsTheirProducerDoes) {
  EXPECT_EQ(attribute_pointer("/payload/a/0"), "/data/a/0");
  EXPECT_EQ(attribute_pointer("/stream"), "/partitionkey");
  EXPECT_EQ(attribute_pointer("/occurred_at"), "/time");
  EXPECT_EQ(attribute_pointer("/resource/id"), "/subject");
  EXPECT_EQ(attribute_pointer("/type"), "/type");
  EXPECT_EQ(attribute_pointer(""), "");

  Result<AppendResult> result = std::unexpected(
      Error{ErrorCode::invalid_event, "", InvalidEvent{{{0, "/stream", "empty", ""}}}, {}});
  name_attributes(result);
  EXPECT_EQ(std::get<InvalidEvent>(result.error().details).violations.front().pointer,
            "/partitionkey");
  result = AppendResult{};
  result->events.emplace_back().warnings.push_back({"/resource/id", "personal_data", ""});
  name_attributes(result);
  EXPECT_EQ(result->events.front().warnings.front().pointer, "/subject");
}

}  // namespace
}  // namespace annals::wire
