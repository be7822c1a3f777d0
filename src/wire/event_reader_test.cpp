#include "wire/event_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "annals/time.hpp"
#include "annals/uuid.hpp"

namespace annals::wire {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct Found {
  std::size_t index;
  std::string pointer;
  std::string rule;

  friend bool operator==(const Found&, const Found&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Found& found) {
    return out << found.index << ' ' << found.pointer << ' ' << found.rule;
  }
};

std::vector<Found> found_in(std::string_view body) {
  const auto request = read_request(body, 100);
  if (!request) return {{0, "error", request.error().detail}};
  std::vector<Found> found;
  for (const Violation& violation : request->violations) {
    found.push_back({violation.index, violation.pointer, violation.rule});
  }
  return found;
}

ErrorCode error_of(std::string_view body, std::size_t max_events = 100) {
  const auto request = read_request(body, max_events);
  return request ? ErrorCode::internal : request.error().code;
}

TEST(EventReader, ReadsEveryMember) {
  const auto request = read_request(R"({
    "id": "0190A000-0000-7000-8000-000000000001", "type": "order.paid", "schema_version": 3,
    "source": "shop", "stream": "order/1", "occurred_at": "2026-01-02T03:04:05.5+01:00",
    "actor": {"kind": "user", "id": "42"},
    "scope": {"space_id": "s", "channel_id": "c", "thread_id": "t"},
    "resource": {"kind": "order", "id": "1", "version": 9007199254740991},
    "audience": "user/42", "receive_action": "read", "labels": {"a": "1", "b": ""},
    "correlation_id": "0190a000-0000-7000-8000-000000000002",
    "causation_id": "0190a000-0000-7000-8000-000000000003",
    "payload": {"n": 1.0 }, "truncated": true, "client_msg_id": "m1", "expected_version": 7})",
                                    100);
  ASSERT_TRUE(request);
  EXPECT_THAT(request->violations, IsEmpty());
  EXPECT_FALSE(request->array);
  ASSERT_THAT(request->events, SizeIs(1));
  NewEvent expected;
  expected.id = parse_uuid("0190a000-0000-7000-8000-000000000001");
  expected.type = "order.paid";
  expected.schema_version = 3;
  expected.source = "shop";
  expected.stream = "order/1";
  expected.occurred_at = parse_timestamp("2026-01-02T02:04:05.5Z");
  expected.actor = Actor{ActorKind::user, "42"};
  expected.scope = {"s", "c", "t"};
  expected.resource = {"order", "1", max_seq};
  expected.audience = "user/42";
  expected.receive_action = "read";
  expected.labels = {{"a", "1"}, {"b", ""}};
  expected.correlation_id = parse_uuid("0190a000-0000-7000-8000-000000000002");
  expected.causation_id = parse_uuid("0190a000-0000-7000-8000-000000000003");
  expected.payload = R"({"n": 1.0 })";
  expected.truncated = true;
  expected.client_msg_id = "m1";
  EXPECT_EQ(request->events.front(), expected);
  EXPECT_EQ(request->expected_versions,
            (Expectations{{"order/1", {ExpectedVersion::Kind::exactly, 7}}}));
}

TEST(EventReader, RefusesUnknownMembersWithTheirPointer) {
  EXPECT_THAT(
      found_in(R"({"type":"a.b","strem":"x","redelivered":true,"invocation_token":"t",
                           "seq":1,"a/b~c":1,"actor":{"kind":"app","id":"1","name":"x"},
                           "scope":{"room":"x"},"resource":{"url":"x"}})"),
      ElementsAre(
          Found{0, "/strem", "unknown_member"}, Found{0, "/redelivered", "unknown_member"},
          Found{0, "/invocation_token", "unknown_member"}, Found{0, "/seq", "unknown_member"},
          Found{0, "/a~1b~0c", "unknown_member"}, Found{0, "/actor/name", "unknown_member"},
          Found{0, "/scope/room", "unknown_member"}, Found{0, "/resource/url", "unknown_member"}));
}

TEST(EventReader, RefusesWrongTypesEvenNull) {
  EXPECT_THAT(
      found_in(R"({"id":1,"type":null,"schema_version":"1","source":{},"stream":[],
                   "occurred_at":0,"actor":"me","scope":1,"resource":null,"labels":["a"],
                   "payload":[],"truncated":"yes","client_msg_id":5,"expected_version":true})"),
      ElementsAre(Found{0, "/id", "type"}, Found{0, "/type", "type"},
                  Found{0, "/schema_version", "type"}, Found{0, "/source", "type"},
                  Found{0, "/stream", "type"}, Found{0, "/occurred_at", "type"},
                  Found{0, "/actor", "type"}, Found{0, "/scope", "type"},
                  Found{0, "/resource", "type"}, Found{0, "/labels", "type"},
                  Found{0, "/payload", "type"}, Found{0, "/truncated", "type"},
                  Found{0, "/client_msg_id", "type"}, Found{0, "/expected_version", "type"}));
}

TEST(EventReader, RefusesMalformedValues) {
  EXPECT_THAT(
      found_in(R"({"id":"{0190a000-0000-7000-8000-000000000001}","occurred_at":"yesterday",
                   "actor":{"kind":"robot"},"schema_version":1.0,"labels":{"a":1},
                   "resource":{"version":9007199254740992},"correlation_id":"","stream":"s",
                   "expected_version":-1})"),
      ElementsAre(Found{0, "/id", "uuid"}, Found{0, "/occurred_at", "time"},
                  Found{0, "/actor/kind", "enum"}, Found{0, "/schema_version", "range"},
                  Found{0, "/labels/a", "type"}, Found{0, "/resource/version", "range"},
                  Found{0, "/correlation_id", "uuid"}, Found{0, "/expected_version", "range"}));
  EXPECT_THAT(found_in(R"({"schema_version":2147483648})"),
              ElementsAre(Found{0, "/schema_version", "range"}));
  EXPECT_THAT(found_in(R"({"schema_version":99999999999999999999})"),
              ElementsAre(Found{0, "/schema_version", "range"}));
  EXPECT_THAT(found_in(R"({"actor":{"id":"1"}})"),
              ElementsAre(Found{0, "/actor/kind", "required"}));
}

TEST(EventReader, RefusesMisspeltExpectations) {
  EXPECT_THAT(found_in(R"({"stream":"s","expected_version":"exist"})"),
              ElementsAre(Found{0, "/expected_version", "enum"}));
  EXPECT_THAT(found_in(R"({"stream":"s","expected_version":"None"})"),
              ElementsAre(Found{0, "/expected_version", "enum"}));
  EXPECT_THAT(found_in(R"({"expected_version":"none"})"),
              ElementsAre(Found{0, "/expected_version", "stream_required"}));
  EXPECT_THAT(found_in(R"({"expected_version":"any"})"), IsEmpty());
}

TEST(EventReader, AnExpectationMayBeRepeatedButNotContradicted) {
  const auto same = read_request(
      R"([{"stream":"s","expected_version":2},{"stream":"s","expected_version":2},{"stream":"s"}])",
      100);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->expected_versions, (Expectations{{"s", {ExpectedVersion::Kind::exactly, 2}}}));
  EXPECT_EQ(
      error_of(R"([{"stream":"s","expected_version":2},{"stream":"s","expected_version":3}])"),
      ErrorCode::invalid_request);
}

TEST(EventReader, ADefectOfOneEventHidesNoOther) {
  EXPECT_THAT(found_in("[{\"strem\":1}, {\"payload\":{\"a\":\"\\ud800\"}}, {\"a\" 1}, 5, "
                       "{\"payload\":{\"k\":1,\"k\":2}}, {\"id\":\"x\"}]"),
              ElementsAre(Found{0, "/strem", "unknown_member"}, Found{1, "/payload/a", "surrogate"},
                          Found{2, "/a", "syntax"}, Found{3, "", "type"},
                          Found{4, "/payload/k", "duplicate_key"}, Found{5, "/id", "uuid"}));
}

TEST(EventReader, TellsWhichEventsBrokeOff) {
  const auto request = read_request(R"([{"type":1},{"type":"a.b","payload":{"a":nul}}])", 100);
  ASSERT_TRUE(request);
  EXPECT_THAT(request->incomplete, ElementsAre(1U));
}

TEST(EventReader, RefusesBrokenTextsWithAPointerAndWithoutRecursion) {
  const std::string deep(10'000, '[');
  EXPECT_THAT(found_in(R"({"payload":{"a":)" + deep), SizeIs(1));
  EXPECT_THAT(found_in(R"({"payload":{"a":)" + deep + std::string(10'000, ']') + "}}"),
              ElementsAre(testing::Field(&Found::rule, "depth")));
  EXPECT_THAT(found_in("\xEF\xBB\xBF{\"type\":\"a.b\"}"), SizeIs(1));
  EXPECT_THAT(found_in(R"({"type":"a.b"} x)"), ElementsAre(Found{0, "", "trailing"}));
  EXPECT_THAT(found_in(R"({"payload":{"a":NaN}})"), ElementsAre(Found{0, "/payload/a", "syntax"}));
  EXPECT_THAT(found_in("{\"source\":\"\xff\"}"), ElementsAre(Found{0, "/source", "utf8"}));
  EXPECT_THAT(found_in(R"({"type":"a.b","type":"a.c"})"),
              ElementsAre(testing::Field(&Found::rule, "duplicate_key")));
}

TEST(EventReader, APayloadMayBe64Deep) {
  const std::string open(63, '[');
  const std::string close(63, ']');
  EXPECT_THAT(found_in(R"([{"payload":{"a":)" + open + close + "}}]"), IsEmpty());
  EXPECT_THAT(found_in(R"([{"payload":{"a":[)" + open + close + "]}}]"),
              ElementsAre(testing::Field(&Found::rule, "depth")));
}

TEST(EventReader, RefusesBodiesThatAreNoRequest) {
  EXPECT_EQ(error_of(""), ErrorCode::invalid_request);
  EXPECT_EQ(error_of("[]"), ErrorCode::invalid_request);
  EXPECT_EQ(error_of(" [ ] "), ErrorCode::invalid_request);
  EXPECT_EQ(error_of("[{}"), ErrorCode::invalid_request);
  EXPECT_EQ(error_of("[{}]]"), ErrorCode::invalid_request);
  EXPECT_EQ(error_of("[{}] {}"), ErrorCode::invalid_request);
  EXPECT_EQ(error_of("[{}}"), ErrorCode::invalid_request);
  EXPECT_EQ(error_of(R"(["])"), ErrorCode::invalid_request);
  EXPECT_THAT(found_in("[{},]"), ElementsAre(Found{1, "", "syntax"}));
  EXPECT_THAT(found_in("[,]"), SizeIs(2));
  EXPECT_THAT(found_in("   "), SizeIs(1));
}

TEST(EventReader, CountsEvents) {
  EXPECT_TRUE(read_request("[{},{},{}]", 3));
  const auto more = read_request("[{},{},{},{}]", 3);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::too_large);
  EXPECT_EQ(std::get<LimitExceeded>(more.error().details),
            (LimitExceeded{"request_max_events", 3}));
}

TEST(EventReader, BracketsAndQuotesInTextsDivideNothing) {
  const auto request =
      read_request(R"([{"source":"],[\"{"},{"source":"\\"},{"payload":{"a":[1,{"b":","}]}}])", 100);
  ASSERT_TRUE(request);
  EXPECT_THAT(request->violations, IsEmpty());
  ASSERT_THAT(request->events, SizeIs(3));
  EXPECT_EQ(request->events[0].source, R"(],["{)");
  EXPECT_EQ(request->events[1].source, "\\");
}

}  // namespace
}  // namespace annals::wire
