// What holds for every valid event, on random ones.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/canonical.hpp"
#include "core/validate.hpp"
#include "testing/event_gen.hpp"
#include "testing/seed.hpp"

namespace annals::core {
namespace {

constexpr int rounds = 3000;

const EventRules& default_rules() {
  static const EventRules rules = std::move(*EventRules::make(EventOptions{}, nullptr));
  return rules;
}

/// The event as a producer would repeat it from what was stored.
NewEvent repeat(const ValidEvent& valid) {
  return {.id = valid.id,
          .type = valid.type,
          .schema_version = valid.schema_version,
          .source = valid.source,
          .stream = valid.stream,
          .occurred_at = valid.occurred_at,
          .actor = valid.meta.actor,
          .scope = valid.scope,
          .resource = valid.resource,
          .audience = valid.meta.audience,
          .receive_action = valid.receive_action,
          .labels = valid.meta.labels,
          .correlation_id = valid.meta.correlation_id,
          .causation_id = valid.meta.causation_id,
          .payload = valid.payload,
          .truncated = valid.truncated,
          .client_msg_id = valid.meta.client_msg_id};
}

TEST(ValidateProperty, GeneratedEventsAreValidWithTheirDefaults) {
  test::EventGen gen(test::seed());
  for (int i = 0; i < rounds; ++i) {
    const NewEvent event = gen.event();
    std::vector<Violation> violations;
    const auto valid =
        validate(event, 0, default_rules(), Origin::producer, std::nullopt, violations);
    ASSERT_TRUE(valid) << i << ": " << violations.at(0).pointer << " " << violations[0].message;

    ASSERT_EQ(valid->payload, gen.compact_payload());
    ASSERT_EQ(valid->resource.kind, event.resource.kind.value_or("event"));
    ASSERT_EQ(valid->receive_action, event.receive_action.value_or("read"));
    ASSERT_EQ(valid->resource_kind_given, event.resource.kind.has_value());
    ASSERT_EQ(valid->receive_action_given, event.receive_action.has_value());
    ASSERT_EQ(valid->correlation_given, event.correlation_id.has_value());
    ASSERT_FALSE(valid->critical);
  }
}

TEST(ValidateProperty, ValidatingAgainChangesNothing) {
  test::EventGen gen(test::seed() + 1);
  for (int i = 0; i < rounds; ++i) {
    std::vector<Violation> violations;
    const auto first =
        validate(gen.event(), 0, default_rules(), Origin::producer, std::nullopt, violations);
    ASSERT_TRUE(first) << i;
    const auto second =
        validate(repeat(*first), 0, default_rules(), Origin::producer, std::nullopt, violations);
    ASSERT_TRUE(second) << i;
    ValidEvent expected = *first;
    expected.resource_kind_given = expected.receive_action_given = true;
    ASSERT_EQ(*second, expected) << i;
  }
}

/// Breaking one member of a valid event gives violations of that member only.
TEST(ValidateProperty, ABrokenMemberIsTheOnlyOneNamed) {
  test::EventGen gen(test::seed() + 2);
  for (int i = 0; i < rounds; ++i) {
    NewEvent event = gen.event();
    std::string pointer;
    switch (gen.random().below(6)) {
      case 0:
        pointer = "/type";
        event.type += '.';
        break;
      case 1:
        pointer = "/source";
        event.source = std::string("\xc0\x80");
        break;
      case 2:
        pointer = "/scope/thread_id";
        event.scope.thread_id = "";
        break;
      case 3:
        pointer = "/id";
        event.id = Uuid{};
        break;
      case 4:
        pointer = "/labels/broken";
        event.labels = {{"broken", std::string(1, '\0')}};
        break;
      default:
        pointer = "/payload";
        event.payload += '}';
        break;
    }
    std::vector<Violation> violations;
    ASSERT_FALSE(validate(event, 0, default_rules(), Origin::producer, std::nullopt, violations))
        << i;
    ASSERT_EQ(violations.size(), 1U) << i << pointer << violations[1].message;
    ASSERT_EQ(violations[0].pointer, pointer) << i;
  }
}

/// Random bytes in any text never crash and never pass as something else.
TEST(ValidateProperty, RandomBytesAreRefusedOrKept) {
  test::EventGen gen(test::seed() + 3);
  for (int i = 0; i < rounds; ++i) {
    NewEvent event = gen.event();
    std::string noise;
    const auto length = gen.random().below(6);
    while (noise.size() < length)
      noise += static_cast<char>(gen.random().below(256));
    event.source = noise;
    std::vector<Violation> violations;
    const auto valid =
        validate(event, 0, default_rules(), Origin::producer, std::nullopt, violations);
    ASSERT_EQ(valid.has_value(), violations.empty());
    if (valid) {
      ASSERT_EQ(valid->source, noise);
    } else {
      ASSERT_EQ(violations[0].pointer, "/source");
    }
  }
}

class Trace : public testing::Test {
 protected:
  static std::optional<ValidEvent> valid(const NewEvent& event, std::string_view header) {
    std::vector<Violation> violations;
    return validate(event, 0, default_rules(), Origin::producer, parse_traceparent(header),
                    violations);
  }

  static NewEvent event() {
    NewEvent event;
    event.type = "order.paid";
    return event;
  }

  static constexpr std::string_view sampled =
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  static constexpr std::string_view unsampled =
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
  static inline const Uuid trace_id = *parse_uuid("4bf92f35-77b3-4da6-a3ce-929d0e0e4736");
};

TEST_F(Trace, SampledGivesCorrelationAndContext) {
  const auto result = valid(event(), sampled);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->meta.correlation_id, trace_id);
  EXPECT_EQ(result->meta.trace_context, sampled);
  EXPECT_FALSE(result->correlation_given);
}

TEST_F(Trace, UnsampledGivesCorrelationAlone) {
  const auto result = valid(event(), unsampled);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->meta.correlation_id, trace_id);
  EXPECT_EQ(result->meta.trace_context, std::nullopt);
}

TEST_F(Trace, NoneGivesNeither) {
  for (const std::string_view header : {"", "00-nonsense"}) {
    const auto result = valid(event(), header);
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->meta.empty());
  }
}

TEST_F(Trace, TheProducersCorrelationWins) {
  NewEvent own = event();
  own.correlation_id = Uuid{{9}};
  const auto result = valid(own, sampled);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->meta.correlation_id, own.correlation_id);
  EXPECT_EQ(result->meta.trace_context, sampled);
  EXPECT_TRUE(result->correlation_given);
}

TEST(ValidateCatalogue, GivesDefaultsAndImportance) {
  auto catalogue = Catalogue::parse(
      R"({"types":[{"pattern":"order.*","resource_kind":"order","receive_action":"bill",
                    "critical":true}]})");
  ASSERT_TRUE(catalogue);
  const auto rules = EventRules::make({}, std::make_shared<const Catalogue>(std::move(*catalogue)));
  NewEvent event;
  event.type = "order.paid";
  std::vector<Violation> violations;
  auto valid = validate(event, 0, *rules, Origin::producer, std::nullopt, violations);
  ASSERT_TRUE(valid);
  EXPECT_EQ(valid->resource.kind, "order");
  EXPECT_EQ(valid->receive_action, "bill");
  EXPECT_TRUE(valid->critical);

  event.resource.kind = "invoice";
  valid = validate(event, 0, *rules, Origin::producer, std::nullopt, violations);
  ASSERT_TRUE(valid);
  EXPECT_EQ(valid->resource.kind, "invoice") << "the catalogue's kind is a default";
}

}  // namespace
}  // namespace annals::core
