#include "wire/checked_request.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <utility>

namespace annals::wire {
namespace {

using testing::ElementsAre;

core::EventRules default_rules() {
  return core::EventRules::make({}, std::make_shared<const core::Catalogue>()).value();
}

/// Index and pointer of every violation of a request, in order.
std::vector<std::pair<std::size_t, std::string>> places_of(std::string_view body) {
  const auto request = read_checked_request(body, 10, default_rules());
  if (request || request.error().code != ErrorCode::invalid_event) {
    ADD_FAILURE() << "not refused as invalid: " << body;
    return {};
  }
  std::vector<std::pair<std::size_t, std::string>> places;
  for (const auto& violation : std::get<InvalidEvent>(request.error().details).violations) {
    places.emplace_back(violation.index, violation.pointer);
  }
  return places;
}

TEST(CheckedRequest, TellsOfTextAndRulesOfEveryEventInOrder) {
  EXPECT_THAT(places_of(R"([{"type":"Bad"},{"type":"a.b","strem":"x","payload":{"c":null}},)"
                        R"({"type":"a.b"},{"type":"log.own","schema_version":"1"}])"),
              ElementsAre(std::pair(0, "/type"), std::pair(1, "/strem"), std::pair(1, "/payload/c"),
                          std::pair(3, "/schema_version"), std::pair(3, "/type")));
}

TEST(CheckedRequest, AppliesNoRuleToAMemberWhoseTextIsWrong) {
  EXPECT_THAT(places_of(R"({"type":7})"), ElementsAre(std::pair(0, "/type")));
  EXPECT_THAT(places_of(R"({"type":"a.b","actor":{"kind":"nobody"}})"),
              ElementsAre(std::pair(0, "/actor/kind")));
}

TEST(CheckedRequest, AppliesNoRuleToAnEventThatBrokeOff) {
  EXPECT_EQ(places_of(R"([{"stream":"s",},{"type":"Bad"}])").size(), 2U);
}

TEST(CheckedRequest, LeavesTheRulesOfARightTextToTheAppend) {
  const auto request =
      read_checked_request(R"([{"type":"Bad"},{"type":"a.b"}])", 10, default_rules());
  ASSERT_TRUE(request);
  EXPECT_EQ(request->events.size(), 2U);
}

TEST(CheckedRequest, ALineIsOneEvent) {
  const auto rules = default_rules();
  EXPECT_TRUE(read_checked_line(R"({"type":"a.b"})", rules));
  const auto array = read_checked_line(R"([{"type":"a.b"}])", rules);
  ASSERT_FALSE(array);
  EXPECT_EQ(array.error().code, ErrorCode::invalid_request);
}

}  // namespace
}  // namespace annals::wire
