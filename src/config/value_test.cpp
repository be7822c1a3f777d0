#include "config/value.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace annals::config {
namespace {

using std::chrono::milliseconds;

TEST(ConfigValue, DurationsNeedAUnit) {
  const std::vector<std::pair<std::string, milliseconds>> good{
      {"250ms", milliseconds(250)},           {"5s", milliseconds(5000)},
      {"15m", milliseconds(900'000)},         {"12h", milliseconds(43'200'000)},
      {"90d", milliseconds(90) * 86'400'000}, {"0s", milliseconds(0)},
  };
  for (const auto& [text, expected] : good) {
    const auto parsed = parse_duration(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, expected) << text;
  }
  for (const auto* text : {"", "5", "s", "5 s", " 5s", "5s ", "-5s", "+5s", "5.5s", "5S", "5sec",
                           "1h30m", "0x5s", "99999999999999999999d", "3652501d"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(ConfigValue, SizesNeedAUnit) {
  EXPECT_EQ(parse_size("512B"), Size{512});
  EXPECT_EQ(parse_size("64KiB"), Size{65'536});
  EXPECT_EQ(parse_size("8MiB"), Size{8'388'608});
  EXPECT_EQ(parse_size("2GiB"), Size{std::uint64_t{2} << 30U});
  EXPECT_EQ(parse_size("1TiB"), Size{std::uint64_t{1} << 40U});
  for (const auto* text : {"", "64", "KiB", "64kb", "64KB", "64 KiB", "-1B", "1.5MiB", "8192TiB"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
  EXPECT_TRUE(parse_size("8191TiB"));
}

TEST(ConfigValue, IntegersArePlainDigits) {
  EXPECT_EQ(parse_integer("0"), 0U);
  EXPECT_EQ(parse_integer("18446744073709551615"), UINT64_MAX);
  for (const auto* text : {"", "-1", "+1", "1 ", "0x1", "18446744073709551616", "1e3"}) {
    EXPECT_FALSE(parse_integer(text)) << text;
  }
}

TEST(ConfigValue, WritesTheLargestExactUnit) {
  EXPECT_EQ(to_string(milliseconds(250)), "250ms");
  EXPECT_EQ(to_string(milliseconds(5000)), "5s");
  EXPECT_EQ(to_string(milliseconds(90'000)), "90s");
  EXPECT_EQ(to_string(milliseconds(604'800'000)), "7d");
  EXPECT_EQ(to_string(milliseconds(0)), "0ms");
  EXPECT_EQ(to_string(Size{65'536}), "64KiB");
  EXPECT_EQ(to_string(Size{65'537}), "65537B");
  for (const std::uint64_t number :
       {std::uint64_t{1}, std::uint64_t{999}, std::uint64_t{60'000}, std::uint64_t{86'400'001}}) {
    EXPECT_EQ(parse_duration(to_string(milliseconds(number))), milliseconds(number));
    EXPECT_EQ(parse_size(to_string(Size{number})), Size{number});
  }
}

TEST(ConfigValue, TomlQuotesTextOnly) {
  EXPECT_EQ(to_toml(std::string("a\"b\\c\n")), R"("a\"b\\c\u000a")");
  EXPECT_EQ(to_toml(milliseconds(5000)), R"("5s")");
  EXPECT_EQ(to_toml(Size{1024}), R"("1KiB")");
  EXPECT_EQ(to_toml(std::uint64_t{7}), "7");
  EXPECT_EQ(to_toml(true), "true");
}

}  // namespace
}  // namespace annals::config
