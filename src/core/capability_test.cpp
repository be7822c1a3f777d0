#include "annals/capability.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/capability_mint.hpp"

namespace annals {
namespace {

using core::capability_from_json;
using core::parse_allowed_types;

const Uuid holder = *parse_uuid("0192f5a0-0000-4000-8000-0000000000aa");
const Timestamp minted = *parse_timestamp("2026-11-30T08:00:00.000123Z");

WriteCapability capability(AllowedTypes types) {
  return *CapabilityMint::mint(holder, std::move(types), minted);
}

struct Case {
  const char* pattern;
  const char* type;
  bool allowed;
};

TEST(Capability, AllowsWhatItNames) {
  const Case cases[] = {
      {"order.paid", "order.paid", true},
      {"order.paid", "order.paid.twice", false},
      {"order.paid", "order.pai", false},
      {"order.*", "order.paid", true},
      {"order.*", "order.line.added", true},
      {"order.*", "order", false},
      {"order.*", "order.", false},
      {"order.*", "orders.paid", false},
      {"order.line.*", "order.line.added", true},
      {"order.line.*", "order.paid", false},
      {"order.line.*", "order.line", false},
      {"*", "order.paid", true},
      {"*", "anything", true},
      {"*", "log.redacted", false},
      {"*", "access.key_created", false},
      {"order.*", "order.*", false},
      {"*", "*", false},
      {"logs.*", "logs.written", true},
  };
  for (const auto& [pattern, type, allowed] : cases) {
    EXPECT_EQ(capability({pattern}).allows(type), allowed) << pattern << " " << type;
  }
}

TEST(Capability, FindsOnePatternAmongMany) {
  AllowedTypes types;
  for (int i = 0; i < 1000; ++i)
    types.insert("t" + std::to_string(i) + ".*");
  types.insert("a.b");
  const auto own = capability(types);
  EXPECT_TRUE(own.allows("t500.x.y.z"));
  EXPECT_TRUE(own.allows("a.b"));
  EXPECT_FALSE(own.allows("a.b.c"));
  EXPECT_FALSE(own.allows("t1000.x"));
}

TEST(Capability, CarriesHolderAndTime) {
  const auto own = capability({"b.c", "a.*"});
  EXPECT_EQ(own.holder(), holder);
  EXPECT_EQ(own.minted_at(), minted);
  EXPECT_EQ(own.allowed_types(), (AllowedTypes{"a.*", "b.c"}));
}

TEST(CapabilityMint, RefusesWhatIsNoSetOfTypes) {
  const AllowedTypes sets[] = {
      {},        {""},      {"a.b", "*.b"},   {"a*"},       {"a.**"},
      {"a.*.b"}, {".*"},    {"a b"},          {"a,b"},      {"a..b"},
      {"a\n.b"}, {"log.*"}, {"log.redacted"}, {"access.*"}, {std::string(201, 'a')},
      {"\xff.a"}};
  for (const auto& types : sets) {
    const auto minted_one = CapabilityMint::mint(holder, types, minted);
    ASSERT_FALSE(minted_one) << core::to_string(types);
    EXPECT_EQ(minted_one.error().code, ErrorCode::invalid_request);
  }
  EXPECT_FALSE(CapabilityMint::mint(Uuid{}, {"*"}, minted));
}

TEST(AllowedTypes, TextRoundTrips) {
  for (const char* text : {"*", "a.b", "a.*,b.c", "*,a.b"}) {
    const auto types = parse_allowed_types(text);
    ASSERT_TRUE(types) << text;
    EXPECT_EQ(core::to_string(*types), text);
  }
  EXPECT_EQ(*parse_allowed_types("b.c,a.*"), (AllowedTypes{"a.*", "b.c"}));
}

TEST(AllowedTypes, RefusesMalformedText) {
  for (const char* text : {"", ",", "a.b,", ",a.b", "a.b,,c.d", "a.b,a.b", "a.b, c.d", " a.b",
                           "a.b\n", "*,*", "a.*,log.*"}) {
    const auto types = parse_allowed_types(text);
    ASSERT_FALSE(types) << text;
    EXPECT_EQ(types.error().code, ErrorCode::invalid_request);
  }
}

constexpr std::string_view json_form =
    R"({"allowed_types":["a.*","b.c"],"holder":"0192f5a0-0000-4000-8000-0000000000aa",)"
    R"("minted_at":"2026-11-30T08:00:00.000123Z"})";

TEST(CapabilityJson, RoundTrips) {
  const auto own = capability({"b.c", "a.*"});
  EXPECT_EQ(core::to_json(own), json_form);
  const auto read = capability_from_json(json_form);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, own);
}

TEST(CapabilityJson, EscapesWhatATypeCanContain) {
  const auto own = capability({"a.\"\\"});
  const auto read = capability_from_json(core::to_json(own));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, own);
}

/// The form with a piece replaced.
std::string with(std::string_view piece, std::string_view replacement) {
  std::string text(json_form);
  return text.replace(text.find(piece), piece.size(), replacement);
}

TEST(CapabilityJson, RefusesEverythingElse) {
  const std::string cases[] = {
      "",
      "[]",
      "null",
      "{}",
      R"({"allowed_types":["a.b"]})",
      with(R"(,"minted_at")", R"(,"extra":1,"minted_at")"),
      with(R"(,"minted_at")", R"(,"holder":"0192f5a0-0000-4000-8000-0000000000aa","minted_at")"),
      with(R"("a.*")", R"("b.c")"),
      with(R"("a.*","b.c")", ""),
      with(R"("a.*")", "1"),
      with(R"(["a.*","b.c"])", R"("a.*")"),
      with("a.*", "log.*"),
      with("0192f5a0-0000-4000", "0192f5a0-0000"),
      with("0192f5a0-0000-4000-8000-0000000000aa", "00000000-0000-0000-0000-000000000000"),
      with("2026-11-30T08:00:00.000123Z", "yesterday"),
      with(R"("2026-11-30T08:00:00.000123Z")", "1"),
      std::string(json_form) + "x",
      std::string(json_form.substr(0, json_form.size() - 1))};
  for (const auto& text : cases) {
    const auto read = capability_from_json(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::invalid_request) << text;
  }
}

}  // namespace
}  // namespace annals
