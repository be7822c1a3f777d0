// The type grammar, as it can be configured.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/validate.hpp"

namespace annals::core {
namespace {

using namespace std::string_literals;

EventRules rules(const EventOptions& options) {
  auto made = EventRules::make(options, nullptr);
  return std::move(*made);
}

NewEvent event_of(std::string type) {
  NewEvent event;
  event.type = std::move(type);
  return event;
}

TEST(EventRules, OwnPatternReplacesTheDefault) {
  EventOptions options;
  options.type_pattern = "[A-Z][A-Za-z]+:v[0-9]";
  const auto own = rules(options);
  const auto accepts = [&](std::string type) {
    std::vector<Violation> violations;
    return validate(event_of(std::move(type)), 0, own, Origin::producer, std::nullopt, violations)
        .has_value();
  };
  EXPECT_TRUE(accepts("OrderPaid:v1"));
  EXPECT_FALSE(accepts("OrderPaid:v12")) << "the whole type has to match";
  EXPECT_FALSE(accepts(" OrderPaid:v1"));
  EXPECT_FALSE(accepts("order.paid"));
}

TEST(EventRules, NoPatternLetsATypeBeMistakenForAList) {
  EventOptions options;
  options.type_pattern = "[^]*";
  const auto own = rules(options);
  for (const char* type : {"a.*", "*", "a,b", "a b", "a\tb", "a..b", ".a", "a.", "log.redacted"}) {
    std::vector<Violation> violations;
    EXPECT_FALSE(validate(event_of(type), 0, own, Origin::producer, std::nullopt, violations))
        << type;
  }
  std::vector<Violation> violations;
  EXPECT_TRUE(validate(event_of("Anything-else_\xc3\xa9"), 0, own, Origin::producer, std::nullopt,
                       violations));
}

TEST(EventRules, RefusesPatternsThatAreNone) {
  for (const std::string& pattern : {"("s, "a{2,1}"s, R"((a)\1)"s, std::string(1001, 'a')}) {
    EventOptions options;
    options.type_pattern = pattern;
    const auto made = EventRules::make(options, nullptr);
    ASSERT_FALSE(made) << pattern;
    EXPECT_EQ(made.error().code, ErrorCode::invalid_request);
  }
}

TEST(EventRules, HostilePatternTakesNoExponentialTime) {
  EventOptions options;
  options.type_pattern = "(a|a)*(b|b)*(a*)*c";
  const auto own = EventRules::make(options, nullptr);
  ASSERT_TRUE(own);
  EXPECT_FALSE(own->type_matches(std::string(200, 'a')));
  EXPECT_TRUE(own->type_matches(std::string(199, 'a') + "c"));
}

}  // namespace
}  // namespace annals::core
