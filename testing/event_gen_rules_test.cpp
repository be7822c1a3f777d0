// The generator promises events that the log accepts: the log's own rules are asked.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "annals/options.hpp"
#include "core/catalogue.hpp"
#include "core/validate.hpp"
#include "testing/event_gen.hpp"
#include "testing/seed.hpp"

namespace annals::test {
namespace {

TEST(EventGenRules, EveryEventIsValidAndItsPayloadIsKeptTokenForToken) {
  const EventOptions options;
  const auto rules = core::EventRules::make(options, std::make_shared<core::Catalogue>());
  ASSERT_TRUE(rules) << rules.error().detail;
  EventGen generator(seed());
  std::size_t largest_envelope = 0;
  for (std::size_t i = 0; i < 3000; ++i) {
    const NewEvent event = generator.event();
    std::vector<Violation> violations;
    const auto valid =
        core::validate(event, i, *rules, core::Origin::producer, std::nullopt, violations);
    for (const auto& violation : violations) {
      ADD_FAILURE() << violation.index << ' ' << violation.pointer << ' ' << violation.rule << ' '
                    << violation.message;
    }
    ASSERT_TRUE(valid);
    ASSERT_EQ(valid->payload, generator.compact_payload());
    largest_envelope = std::max(largest_envelope, core::envelope_bound(*valid));
  }
  EXPECT_LE(largest_envelope, options.envelope_max_bytes);
  // Events that never come near the limit would leave it untested.
  EXPECT_GT(largest_envelope, options.envelope_max_bytes - 2048);
}

}  // namespace
}  // namespace annals::test
