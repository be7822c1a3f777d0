#include "config/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace annals::config {
namespace {

using ::testing::HasSubstr;

const Key& key_named(std::string_view name) {
  const auto* key = find_key(schema(), name);
  EXPECT_NE(key, nullptr) << name;
  return *key;
}

TEST(ConfigSchema, EveryKeyIsCompleteAndItsDefaultIsAccepted) {
  const Settings defaults;
  std::set<std::string> names;
  std::set<std::string> variables;
  for (const auto& key : schema()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_TRUE(variables.insert(key.environment_name()).second) << key.environment_name();
    EXPECT_TRUE(key.doc.ends_with('.')) << key.name;
    EXPECT_FALSE(key.expected().empty()) << key.name;
    const auto value = key.get(defaults);
    const auto parsed = key.parse(to_text(value));
    ASSERT_TRUE(parsed) << key.name << ": the default is not accepted";
    EXPECT_EQ(*parsed, value) << key.name;
  }
}

TEST(ConfigSchema, KeysOfASectionStandTogether) {
  std::set<std::string_view> seen;
  std::string_view current;
  for (const auto& key : schema()) {
    if (key.section() == current) continue;
    current = key.section();
    EXPECT_TRUE(seen.insert(current).second) << current << " begins a second time";
  }
}

/// A value other than the default, by type.
Value other_value(const Key& key) {
  const auto value = key.get(Settings{});
  switch (key.type) {
    case Type::text:
      if (key.name == "store") return Value(std::string("sqlite:other.db"));
      if (key.name == "server.listen") return Value(std::string("[::1]:0"));
      return Value(std::string("^x$"));
    case Type::choice:
      return Value(key.choices.front() == to_text(value) ? key.choices.back()
                                                         : key.choices.front());
    case Type::integer:
      return std::get<std::uint64_t>(value) == key.max ? Value(key.min) : Value(key.max);
    case Type::duration:
      return Value(std::chrono::milliseconds(key.max));
    case Type::size:
      return Value(Size{key.max});
    case Type::flag:
      return Value(!std::get<bool>(value));
  }
  return value;
}

TEST(ConfigSchema, EveryKeyWritesItsOwnMemberOnly) {
  for (const auto& key : schema()) {
    Settings settings;
    const auto value = other_value(key);
    ASSERT_NE(value, key.get(settings)) << key.name;
    key.set(settings, value);
    EXPECT_EQ(key.get(settings), value) << key.name;
    for (const auto& other : schema()) {
      if (other.name == key.name) continue;
      EXPECT_EQ(other.get(settings), other.get(Settings{}))
          << key.name << " changed " << other.name;
    }
  }
}

TEST(ConfigSchema, BoundsAreExact) {
  for (const auto& key : schema()) {
    const auto written = [&key](std::uint64_t number) {
      if (key.type == Type::duration) return to_text(Value(std::chrono::milliseconds(number)));
      if (key.type == Type::size) return to_text(Value(Size{number}));
      return to_text(Value(number));
    };
    if (key.type != Type::integer && key.type != Type::duration && key.type != Type::size) continue;
    EXPECT_TRUE(key.parse(written(key.min))) << key.name;
    EXPECT_TRUE(key.parse(written(key.max))) << key.name;
    EXPECT_FALSE(key.parse(written(key.max + key.step))) << key.name;
    if (key.min > 0) {
      EXPECT_FALSE(key.parse(written(key.min - 1))) << key.name;
    }
  }
}

TEST(ConfigSchema, ADurationThatItsMemberCannotHoldIsRefused) {
  const auto& window = key_named("append.idempotency_window");
  EXPECT_TRUE(window.parse("36h"));
  EXPECT_FALSE(window.parse("90m"));
  EXPECT_THAT(window.expected(), HasSubstr("a multiple of 1h"));
}

TEST(ConfigSchema, TextKeysCheckTheirShape) {
  const auto& listen = key_named("server.listen");
  for (const auto* good : {"127.0.0.1:7420", "[::1]:7420", "localhost:0", "0.0.0.0:65535"}) {
    EXPECT_TRUE(listen.parse(good)) << good;
  }
  for (const auto* bad : {"", ":", "7420", ":7420", "::1:7420", "127.0.0.1", "127.0.0.1:", "a b:1",
                          "127.0.0.1:65536", "127.0.0.1:-1", "[]:1", "http://localhost:1"}) {
    EXPECT_FALSE(listen.parse(bad)) << bad;
  }
  const auto& store = key_named("store");
  for (const auto* good : {"sqlite:annals.db", "sqlite:/var/lib/annals.db", "memory:"}) {
    EXPECT_TRUE(store.parse(good)) << good;
  }
  for (const auto* bad : {"", "annals.db", "sqlite:", "memory", "mysql://x", "SQLITE:x"}) {
    EXPECT_FALSE(store.parse(bad)) << bad;
  }
  const auto& pattern = key_named("events.type_pattern");
  EXPECT_TRUE(pattern.parse("^[a-z]+$"));
  EXPECT_FALSE(pattern.parse("^[a-z"));
  EXPECT_FALSE(pattern.parse(""));
}

TEST(ConfigSchema, SuggestsTheNearestName) {
  EXPECT_EQ(nearest_name(schema(), "server.listn"), "server.listen");
  EXPECT_EQ(nearest_name(schema(), "stroe"), "store");
  EXPECT_EQ(nearest_name(schema(), "something.else.entirely"), "");
}

}  // namespace
}  // namespace annals::config
