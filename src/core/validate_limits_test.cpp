// Sizes at limit - 1, limit and limit + 1, with the limit in the message.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/validate.hpp"

namespace annals::core {
namespace {

EventRules rules(const EventOptions& options = {}) {
  auto made = EventRules::make(options, nullptr);
  return std::move(*made);
}

std::vector<Violation> violations_of(const NewEvent& event, const EventRules& rules) {
  std::vector<Violation> violations;
  const auto valid = validate(event, 0, rules, Origin::producer, std::nullopt, violations);
  EXPECT_EQ(valid.has_value(), violations.empty());
  return violations;
}

NewEvent valid_event() {
  NewEvent event;
  event.type = "order.paid";
  return event;
}

/// An object of exactly so many bytes.
std::string payload_of(std::size_t bytes) {
  const std::string frame = R"({"a":""})";
  return R"({"a":")" + std::string(bytes - frame.size(), 'x') + R"("})";
}

void expect_limit(const std::vector<Violation>& violations, const std::string& pointer,
                  std::size_t limit) {
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].pointer, pointer);
  EXPECT_EQ(violations[0].rule, "max_bytes");
  EXPECT_NE(violations[0].message.find(' ' + std::to_string(limit) + " bytes"), std::string::npos)
      << violations[0].message;
}

class PayloadLimit : public testing::TestWithParam<std::size_t> {};

TEST_P(PayloadLimit, IsExact) {
  const std::size_t limit = GetParam();
  EventOptions options;
  options.payload_max_bytes = limit;
  const auto own = rules(options);
  NewEvent event = valid_event();

  event.payload = payload_of(limit - 1);
  EXPECT_TRUE(violations_of(event, own).empty());
  event.payload = payload_of(limit);
  EXPECT_TRUE(violations_of(event, own).empty());
  event.payload = payload_of(limit + 1);
  expect_limit(violations_of(event, own), "/payload", limit);
}

INSTANTIATE_TEST_SUITE_P(Limits, PayloadLimit,
                         testing::Values(std::size_t{9}, std::size_t{100}, std::size_t{56} * 1024));

TEST(PayloadLimit, CountsWhatIsStored) {
  EventOptions options;
  options.payload_max_bytes = 100;
  options.nulls = NullPolicy::strip;
  const auto own = rules(options);
  NewEvent event = valid_event();

  event.payload = std::string(500, ' ') + payload_of(100) + std::string(500, '\n');
  EXPECT_TRUE(violations_of(event, own).empty()) << "whitespace is not stored";

  std::string with_null = payload_of(100);
  with_null.insert(1, R"("gone":null,)");
  event.payload = with_null;
  EXPECT_TRUE(violations_of(event, own).empty()) << "stripped members are not stored";

  event.payload = std::string(500, ' ') + payload_of(101);
  expect_limit(violations_of(event, own), "/payload", 100);
}

ValidEvent validated(const NewEvent& event) {
  EventOptions options;
  options.envelope_max_bytes = std::size_t{1} << 20U;
  std::vector<Violation> violations;
  auto valid = validate(event, 0, rules(options), Origin::producer, std::nullopt, violations);
  EXPECT_TRUE(valid);
  return *valid;
}

/// Uses every member; 16 labels carry the bulk.
NewEvent large_event() {
  NewEvent event = valid_event();
  event.id = event.correlation_id = event.causation_id = Uuid{{1}};
  event.schema_version = 12;
  event.source = event.stream = event.audience = event.client_msg_id = "\"\\\x01";
  event.actor = Actor{ActorKind::agent, "a"};
  event.scope = {"s", "c", "t"};
  event.resource = {"k", "i", 7};
  event.truncated = true;
  for (int i = 0; i < 16; ++i)
    event.labels.emplace("k" + std::to_string(i), std::string(100, 'v'));
  return event;
}

TEST(EnvelopeLimit, IsExact) {
  NewEvent event = large_event();
  const std::size_t bound = envelope_bound(validated(event));
  for (const int offset : {-1, 0, 1}) {
    EventOptions options;
    options.envelope_max_bytes = bound + static_cast<std::size_t>(-offset);
    const auto found = violations_of(event, rules(options));
    if (offset <= 0) {
      EXPECT_TRUE(found.empty()) << offset;
    } else {
      expect_limit(found, "", bound - 1);
    }
  }
}

TEST(EnvelopeLimit, DefaultIsSevenKilobytes) {
  NewEvent event = valid_event();
  // Quotes take two bytes each: sixteen labels of the longest value exceed the limit.
  for (int i = 0; i < 16; ++i)
    event.labels.emplace("k" + std::to_string(i), std::string(256, '"'));
  std::size_t over = envelope_bound(validated(event)) - std::size_t{7} * 1024;
  // Shorten single values until the event fits exactly.
  for (auto& [name, value] : event.labels) {
    const std::size_t cut = std::min(over / 2, value.size());
    value.resize(value.size() - cut);
    over -= cut * 2;
  }
  if (over == 1) {
    event.labels.begin()->second.back() = 'x';
  }
  EXPECT_EQ(envelope_bound(validated(event)), std::size_t{7} * 1024);
  EXPECT_TRUE(violations_of(event, rules()).empty());

  event.labels.begin()->second += 'x';
  expect_limit(violations_of(event, rules()), "", 7168);
}

/// The envelope of an event at its place, written here a second time from the specification.
std::string envelope(const ValidEvent& event) {
  const auto quoted = [](const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') {
        out += '\\';
        out += c;
      } else if (c == '\x01') {
        out += "\\u0001";
      } else if (c == '\n') {
        out += "\\n";
      } else {
        out += c;
      }
    }
    return out + '"';
  };
  const std::string max = "9007199254740991";
  const std::string hash(64, 'f');
  const std::string uuid = to_string(Uuid{{1}});
  std::string labels;
  for (const auto& [name, value] : event.meta.labels) {
    if (!labels.empty()) labels += ',';
    labels += quoted(name) + ':' + quoted(value);
  }
  return R"({"seq":)" + max + R"(,"id":")" + uuid + R"(","type":)" + quoted(event.type) +
         R"(,"schema_version":)" + std::to_string(event.schema_version) +
         R"(,"occurred_at":"2026-11-30T08:00:00.000000Z","recorded_at":)"
         R"("2026-11-30T08:00:00.000000Z","permission_version":)" +
         max + R"(,"source":)" + quoted(*event.source) + R"(,"stream":{"name":)" +
         quoted(*event.stream) + R"(,"seq":)" + max + R"(,"prev_hash":")" + hash + R"(","hash":")" +
         hash + R"("},"scope":{"space_id":"s","channel_id":"c","thread_id":"t"})" +
         R"(,"resource":{"kind":"k","id":"i","version":7},"actor":{"kind":"agent","id":"a"})" +
         R"(,"labels":{)" + labels + R"(},"client_msg_id":)" + quoted(*event.meta.client_msg_id) +
         R"(,"correlation_id":")" + uuid + R"(","causation_id":")" + uuid +
         R"(","trace_context":)" + quoted(*event.meta.trace_context) +
         R"(,"audience":"self","truncated":true,"redacted":true,"payload":})";
}

TEST(EnvelopeBound, IsTheLongestEnvelopeAnyPlaceCanGive) {
  NewEvent event = large_event();
  event.labels["k0"] = "\n\x01\"";
  ValidEvent valid = validated(event);
  valid.meta.trace_context = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  EXPECT_EQ(envelope_bound(valid), envelope(valid).size());
}

TEST(EnvelopeBound, CountsOnlyWhatIsThere) {
  const std::string bare = R"({"seq":9007199254740991,"id":"00000000-0000-0000-0000-000000000000",)"
                           R"("type":"order.paid","schema_version":1,)"
                           R"("occurred_at":"2026-11-30T08:00:00.000000Z",)"
                           R"("recorded_at":"2026-11-30T08:00:00.000000Z",)"
                           R"("permission_version":9007199254740991,"scope":{},)"
                           R"("resource":{"kind":"event"},"redacted":true,"payload":})";
  EXPECT_EQ(envelope_bound(validated(valid_event())), bare.size());
}

}  // namespace
}  // namespace annals::core
