#include "core/payload_schema_number.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace annals::core {
namespace {

TEST(Decimal, EqualNumbersAreEqualInAnySpelling) {
  const std::vector<std::vector<std::string>> groups{{"0", "-0", "0.0", "0e5", "-0.000e-7"},
                                                     {"1", "1.0", "10e-1", "0.1e1", "1E0", "1e+0"},
                                                     {"100", "1e2", "0.0001e6", "100.00"},
                                                     {"-1.5", "-15e-1", "-0.15E+1"},
                                                     {"1e-400", "0.1e-399"}};
  for (const auto& group : groups) {
    for (const auto& left : group) {
      for (const auto& right : group)
        EXPECT_EQ(Decimal(left), Decimal(right)) << left << right;
    }
  }
}

TEST(Decimal, OrderIsThatOfTheNumbers) {
  const std::vector<std::string> ascending{"-1e400",
                                           "-123456789012345678901",
                                           "-123456789012345678900",
                                           "-10",
                                           "-9.99",
                                           "-1",
                                           "-0.1",
                                           "-1e-400",
                                           "0",
                                           "1e-400",
                                           "0.1",
                                           "0.11",
                                           "0.9",
                                           "1",
                                           "1.0000000000000000000001",
                                           "9",
                                           "10",
                                           "9007199254740992",
                                           "9007199254740993",
                                           "1e400",
                                           "2e400"};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(Decimal(ascending[i]) <=> Decimal(ascending[j]), i <=> j)
          << ascending[i] << " " << ascending[j];
    }
  }
}

TEST(Decimal, KnowsIntegers) {
  for (const char* text : {"0", "-3", "1.0", "1e3", "12e-0", "120e-1", "0.5e1", "1e400"}) {
    EXPECT_TRUE(Decimal(text).is_integer()) << text;
  }
  for (const char* text : {"0.5", "1e-1", "12e-1", "1.5e0", "1e-400"}) {
    EXPECT_FALSE(Decimal(text).is_integer()) << text;
  }
}

TEST(Decimal, GivesCounts) {
  EXPECT_EQ(Decimal("0").to_count(), 0U);
  EXPECT_EQ(Decimal("1200").to_count(), 1200U);
  EXPECT_EQ(Decimal("1.2e3").to_count(), 1200U);
  EXPECT_EQ(Decimal("9007199254740991").to_count(), 9'007'199'254'740'991U);
  for (const char* text : {"9007199254740992", "-1", "0.5", "1e16", "1e400"}) {
    EXPECT_EQ(Decimal(text).to_count(), std::nullopt) << text;
  }
}

TEST(Decimal, MultiplesAgreeWithIntegerArithmetic) {
  for (int value = -60; value <= 60; ++value) {
    for (int divisor = 1; divisor <= 40; ++divisor) {
      EXPECT_EQ(Decimal(std::to_string(value)).is_multiple_of(Decimal(std::to_string(divisor))),
                value % divisor == 0)
          << value << " " << divisor;
      // The same on a decimal scale.
      EXPECT_EQ(Decimal(std::to_string(value) + "e-2")
                    .is_multiple_of(Decimal(std::to_string(divisor) + "e-2")),
                value % divisor == 0)
          << value << " " << divisor;
    }
  }
  EXPECT_TRUE(Decimal("999999999999999999e30").is_multiple_of(Decimal("999999999999999999")));
  EXPECT_FALSE(Decimal("999999999999999998e30").is_multiple_of(Decimal("999999999999999999")));
  EXPECT_FALSE(Decimal("1e-3").is_multiple_of(Decimal("1e2")));
}

TEST(Decimal, ExponentsBeyondAnyUseAreBounded) {
  EXPECT_GT(Decimal("1e99999999999999999999"), Decimal("9e999999"));
  EXPECT_LT(Decimal("1e-99999999999999999999"), Decimal("1e-999999"));
  EXPECT_TRUE(Decimal("1e99999999999999999999").is_integer());
}

}  // namespace
}  // namespace annals::core
