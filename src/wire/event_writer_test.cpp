#include "wire/event_writer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/event_gen.hpp"
#include "testing/seed.hpp"
#include "wire/event_reader.hpp"

namespace annals::wire {
namespace {

TEST(EventWriter, EveryEventIsReadBackAsItWas) {
  test::EventGen events{test::seed()};
  for (int i = 0; i < 500; ++i) {
    NewEvent event = events.event();
    std::string json;
    append_new_event(json, event);
    // Space around the payload is none of it.
    const auto last = event.payload.find_last_not_of(" \t\r\n");
    event.payload = event.payload.substr(0, last + 1);
    event.payload.erase(0, event.payload.find_first_not_of(" \t\r\n"));
    std::vector<Violation> violations;
    const auto read = read_event(json, 0, violations);
    ASSERT_TRUE(violations.empty()) << violations.front().pointer << violations.front().message;
    ASSERT_TRUE(read.event == event) << json.substr(0, 2000);
    EXPECT_FALSE(read.expected);
  }
}

TEST(EventWriter, AnExpectationStandsBesideTheMembers) {
  using Kind = ExpectedVersion::Kind;
  NewEvent event;
  event.type = "a.b";
  event.stream = "s";
  for (const ExpectedVersion expected :
       {ExpectedVersion{Kind::any, 0}, ExpectedVersion{Kind::none, 0},
        ExpectedVersion{Kind::exists, 0}, ExpectedVersion{Kind::exactly, 7}}) {
    std::string json;
    append_new_event(json, event, expected);
    std::vector<Violation> violations;
    EXPECT_EQ(read_event(json, 0, violations).expected, expected) << json;
    EXPECT_TRUE(violations.empty());
  }
}

TEST(EventWriter, TheLeastEventIsShort) {
  NewEvent event;
  event.type = "a.b";
  std::string json;
  append_new_event(json, event);
  EXPECT_EQ(json, R"({"type":"a.b","payload":{}})");
}

}  // namespace
}  // namespace annals::wire
