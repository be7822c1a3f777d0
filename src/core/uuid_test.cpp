#include "annals/uuid.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cctype>
#include <string>
#include <unordered_set>

namespace annals {
namespace {

TEST(Uuid, WritesLowerCaseGroups) {
  Uuid uuid;
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    uuid.bytes[i] = static_cast<std::uint8_t>(0xf0 + i);
  }
  EXPECT_EQ(to_string(uuid), "f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
}

TEST(Uuid, ReadsAnyCaseAndNil) {
  const auto mixed = parse_uuid("4BF92F35-77b3-4Da6-A3ce-929D0E0e4736");
  ASSERT_TRUE(mixed);
  EXPECT_EQ(to_string(*mixed), "4bf92f35-77b3-4da6-a3ce-929d0e0e4736");
  const auto nil = parse_uuid("00000000-0000-0000-0000-000000000000");
  ASSERT_TRUE(nil);
  EXPECT_TRUE(nil->is_nil());
  EXPECT_FALSE(mixed->is_nil());
}

TEST(Uuid, RefusesEveryOtherForm) {
  for (const char* text :
       {"", "4bf92f3577b34da6a3ce929d0e0e4736", "{4bf92f35-77b3-4da6-a3ce-929d0e0e4736}",
        "urn:uuid:4bf92f35-77b3-4da6-a3ce-929d0e0e4736", "4bf92f35-77b3-4da6-a3ce-929d0e0e473",
        "4bf92f35-77b3-4da6-a3ce-929d0e0e47360", "4bf92f3577-b3-4da6-a3ce-929d0e0e4736",
        "4bf92f35-77b3-4da6-a3ce-929d0e0e473g", "4bf92f35_77b3_4da6_a3ce_929d0e0e4736",
        " 4bf92f35-77b3-4da6-a3ce-929d0e0e473", "4bf92f35-77b3-4da6-a3ce+929d0e0e4736"}) {
    EXPECT_FALSE(parse_uuid(text)) << text;
  }
  EXPECT_FALSE(parse_uuid(std::string("4bf92f35-77b3-4da6-a3ce-929d0e0e473") + '\0'));
}

RC_GTEST_PROP(UuidProperty, RoundTripsInBothCases, (std::array<std::uint8_t, 16> bytes)) {
  const Uuid uuid{bytes};
  std::string text = to_string(uuid);
  RC_ASSERT(text.size() == 36U);
  RC_ASSERT(parse_uuid(text) == uuid);
  for (char& c : text) {
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  RC_ASSERT(parse_uuid(text) == uuid);
}

RC_GTEST_PROP(UuidProperty, OrderOfTextIsOrderOfBytes,
              (std::array<std::uint8_t, 16> left, std::array<std::uint8_t, 16> right)) {
  RC_ASSERT((Uuid{left} < Uuid{right}) == (to_string(Uuid{left}) < to_string(Uuid{right})));
}

TEST(Uuid, CanBeHashed) {
  const std::unordered_set<Uuid> set{Uuid{}, Uuid{}, Uuid{{1}}};
  EXPECT_EQ(set.size(), 2U);
}

}  // namespace
}  // namespace annals
