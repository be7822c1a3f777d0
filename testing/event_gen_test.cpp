#include "testing/event_gen.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "testing/seed.hpp"

namespace annals::test {
namespace {

constexpr int events_looked_at = 3000;

std::size_t depth_of(const nlohmann::json& value) {
  std::size_t deepest = 0;
  if (!value.is_structured()) return 0;
  for (const auto& inner : value)
    deepest = std::max(deepest, depth_of(inner));
  return deepest + 1;
}

bool has_null(const nlohmann::json& value) {
  if (value.is_null()) return true;
  if (!value.is_structured()) return false;
  return std::any_of(value.begin(), value.end(), [](const auto& inner) { return has_null(inner); });
}

/// The parsed text. A number that no double holds is legal JSON, but not for this parser, so it is
/// replaced by one of the same shape.
nlohmann::json parse(std::string text, const nlohmann::json::parser_callback_t& look = nullptr) {
  constexpr std::string_view too_large = "1e400";
  for (auto at = text.find(too_large); at != std::string::npos; at = text.find(too_large, at)) {
    text.replace(at, too_large.size(), "1e4");
  }
  return nlohmann::json::parse(text, look, false);
}

/// False on a syntax error, ill-formed Unicode or a member named twice.
bool parses_with_unique_keys(const std::string& text) {
  std::vector<std::set<std::string>> open;
  bool unique = true;
  const auto look = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end) open.pop_back();
    if (event == Event::key) {
      unique = open.back().insert(parsed.get<std::string>()).second && unique;
    }
    return true;
  };
  return !parse(text, look).is_discarded() && unique;
}

/// The text without whitespace outside of strings.
std::string without_whitespace(std::string_view text) {
  std::string out;
  bool in_string = false;
  bool escaped = false;
  for (const char c : text) {
    if (in_string) {
      out += c;
      in_string = escaped || c != '"';
      escaped = !escaped && c == '\\';
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    in_string = c == '"';
    out += c;
  }
  return out;
}

void expect_text(const std::optional<std::string>& text, std::size_t max_bytes) {
  if (!text) return;
  EXPECT_GE(text->size(), 1U);
  EXPECT_LE(text->size(), max_bytes);
  EXPECT_EQ(text->find('\0'), std::string::npos);
}

void expect_valid_members(const NewEvent& event) {
  static const std::regex type_pattern(R"(^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$)");
  static const std::regex key_pattern("[a-z][a-z0-9_]{0,62}");
  EXPECT_TRUE(std::regex_match(event.type, type_pattern)) << event.type;
  EXPECT_LE(event.type.size(), 200U);
  EXPECT_FALSE(event.type.starts_with("log.") || event.type.starts_with("access."));
  EXPECT_GE(event.schema_version, 1U);
  if (event.stream) {
    EXPECT_FALSE(event.stream->starts_with('$'));
  }
  for (const auto& text :
       {event.source, event.stream, event.scope.space_id, event.scope.channel_id,
        event.scope.thread_id, event.resource.kind, event.resource.id, event.audience,
        event.client_msg_id, event.actor ? event.actor->id : std::nullopt}) {
    expect_text(text, 200);
  }
  if (event.actor) {
    EXPECT_EQ(event.actor->id.has_value(), event.actor->kind != ActorKind::system);
  }
  if (event.receive_action == "self") {
    EXPECT_TRUE(event.audience);
  }
  EXPECT_LE(event.labels.size(), 16U);
  for (const auto& [key, value] : event.labels) {
    EXPECT_TRUE(std::regex_match(key, key_pattern)) << key;
    EXPECT_LE(value.size(), 256U);
  }
}

TEST(EventGen, MembersKeepTheRules) {
  EventGen generator(seed());
  for (int i = 0; i < events_looked_at; ++i) {
    expect_valid_members(generator.event());
    if (HasFailure()) return;
  }
}

TEST(EventGen, PayloadsKeepTheRules) {
  EventGen generator(seed());
  for (int i = 0; i < events_looked_at; ++i) {
    const NewEvent event = generator.event();
    const std::string& compact = generator.compact_payload();
    ASSERT_TRUE(parses_with_unique_keys(compact)) << compact;
    ASSERT_EQ(without_whitespace(event.payload), compact);
    ASSERT_LE(compact.size(), 56U * 1024);
    ASSERT_EQ(compact.front(), '{');
    const auto parsed = parse(compact);
    ASSERT_FALSE(has_null(parsed)) << compact;
    ASSERT_LE(depth_of(parsed), 64U);
  }
}

TEST(EventGen, TheSameSeedGivesTheSameEvents) {
  EventGen one(seed());
  EventGen two(seed());
  EventGen other(seed() + 1);
  EXPECT_EQ(one.streams(), two.streams());
  const auto events = one.batch(50);
  EXPECT_EQ(events, two.batch(50));
  EXPECT_NE(events, other.batch(50));
}

TEST(EventGen, EveryMemberAndEveryEdgeOccurs) {
  EventGen generator(seed());
  std::set<std::string> seen;
  const auto note = [&seen](std::string_view what, bool occurs) {
    if (occurs) seen.emplace(what);
  };
  for (int i = 0; i < events_looked_at; ++i) {
    const NewEvent event = generator.event();
    const std::string& payload = generator.compact_payload();
    note("id", event.id.has_value());
    note("no id", !event.id);
    note("source", event.source.has_value());
    note("stream", event.stream.has_value());
    note("no stream", !event.stream);
    note("occurred_at", event.occurred_at.has_value());
    note("actor", event.actor && event.actor->id);
    note("system", event.actor && event.actor->kind == ActorKind::system);
    note("scope", event.scope.space_id && event.scope.channel_id && event.scope.thread_id);
    note("resource", event.resource.kind && event.resource.id && event.resource.version);
    note("audience", event.audience.has_value());
    note("self", event.receive_action == "self");
    note("16 labels", event.labels.size() == 16);
    note("ids", event.correlation_id && event.causation_id);
    note("truncated", event.truncated);
    note("client_msg_id", event.client_msg_id.has_value());
    note("longest type", event.type.size() == 200);
    note("longest source", event.source && event.source->size() == 200);
    note("largest payload", payload.size() == 56U * 1024);
    note("deepest payload", payload.starts_with("{\"a\":") && payload.size() < 600);
    note("whitespace", event.payload != payload);
    note("escaped NUL", payload.find("\\u0000") != std::string::npos);
    note("big number", payload.find("9007199254740993") != std::string::npos);
  }
  EXPECT_EQ(seen.size(), 23U) << nlohmann::json(seen).dump();
}

TEST(EventGen, ClientMessageIdsAreUnique) {
  EventGen generator(seed());
  std::set<std::string> seen;
  for (int i = 0; i < events_looked_at; ++i) {
    const auto event = generator.event();
    if (!event.client_msg_id) continue;
    EXPECT_TRUE(seen.insert(*event.client_msg_id).second);
  }
}

TEST(EventGen, OptionsAreObeyed) {
  EventGen generator(seed(), {.streams = 0,
                              .id_percent = 100,
                              .payload_bytes = 40,
                              .edge_percent = 0,
                              .client_msg_ids = false});
  for (int i = 0; i < 300; ++i) {
    const auto event = generator.event();
    EXPECT_TRUE(event.id);
    EXPECT_FALSE(event.stream);
    EXPECT_FALSE(event.client_msg_id);
    EXPECT_LE(generator.compact_payload().size(), 40U);
  }
}

TEST(JsonGen, SizeAndDepthAreExact) {
  Random random(seed());
  for (const std::size_t bytes : {16U, 17U, 57343U, 57344U, 57345U}) {
    const auto made = payload_of_size(random, bytes);
    EXPECT_EQ(made.compact.size(), bytes);
    EXPECT_TRUE(parses_with_unique_keys(made.compact));
  }
  for (const std::size_t levels : {1U, 2U, 63U, 64U, 65U}) {
    const auto made = payload_of_depth(random, levels);
    EXPECT_EQ(depth_of(parse(made.compact)), levels);
  }
}

}  // namespace
}  // namespace annals::test
