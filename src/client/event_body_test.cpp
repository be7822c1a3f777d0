#include "client/event_body.hpp"

#include <gtest/gtest.h>

#include <string>

#include "client/event_ids.hpp"
#include "wire/event_reader.hpp"

namespace annals::client {
namespace {

NewEvent event(std::string payload = "{}", std::optional<std::string> stream = std::nullopt) {
  NewEvent event;
  event.type = "a.b";
  event.stream = std::move(stream);
  event.payload = std::move(payload);
  return event;
}

TEST(EventIds, AreOfVersionSevenOrderedByTimeAndDifferent) {
  const Uuid first = new_event_id();
  const Uuid second = new_event_id();
  EXPECT_NE(first, second);
  EXPECT_EQ(to_string(first)[14], '7');
  EXPECT_NE(std::string("89ab").find(to_string(first)[19]), std::string::npos);
  EXPECT_LE(to_string(first).substr(0, 13), to_string(second).substr(0, 13));
}

TEST(EventBody, EveryEventGetsAnIdAndAnExpectationStandsOnce) {
  std::vector<NewEvent> events{event("{}", "s"), event("{ \"a\": 1 }", "s"), event("{}", "t")};
  const auto body = events_body(events, {{"s", {ExpectedVersion::Kind::exactly, 3}}});
  ASSERT_TRUE(body) << body.error().detail;
  const auto read = wire::read_request(*body, 10);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->violations.empty());
  EXPECT_EQ(read->events, events);
  for (const auto& sent : read->events)
    EXPECT_TRUE(sent.id);
  EXPECT_EQ(read->expected_versions,
            (wire::Expectations{{"s", {ExpectedVersion::Kind::exactly, 3}}}));
}

TEST(EventBody, AnExpectationWithoutItsStreamIsRefused) {
  std::vector<NewEvent> events{event()};
  const auto body = events_body(events, {{"s", {ExpectedVersion::Kind::none, 0}}});
  ASSERT_FALSE(body);
  EXPECT_EQ(body.error().code, ErrorCode::invalid_request);
}

TEST(EventBody, APayloadCannotBringOtherMembers) {
  std::vector<NewEvent> events{event(), event(R"({},"audience":"user/1")"), event("{")};
  const auto body = events_body(events, {});
  ASSERT_FALSE(body);
  EXPECT_EQ(body.error().code, ErrorCode::invalid_event);
  const auto& violations = std::get<InvalidEvent>(body.error().details).violations;
  ASSERT_EQ(violations.size(), 2U);
  EXPECT_EQ(violations[0].index, 1U);
  EXPECT_EQ(violations[0].pointer, "/payload");
  EXPECT_EQ(violations[1].index, 2U);
}

TEST(EventBody, ALineHasNoLineEnd) {
  NewEvent spread = event("{\r\n \"a\": \"x\\n\"\n}");
  const auto line = event_line(spread, 0, std::nullopt);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->find_first_of("\r\n"), std::string::npos);
  EXPECT_NE(line->find(R"("x\n")"), std::string::npos);
}

}  // namespace
}  // namespace annals::client
