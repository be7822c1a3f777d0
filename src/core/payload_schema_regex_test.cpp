#include "core/payload_schema_regex.hpp"

#include <gtest/gtest.h>

#include <string>

namespace annals::core {
namespace {

bool found(std::string_view pattern, std::string_view text) {
  const auto regex = SchemaRegex::compile(pattern);
  EXPECT_TRUE(regex) << pattern;
  return regex && regex->found_in(text);
}

TEST(SchemaRegex, SearchesAnywhereUnlessAnchored) {
  EXPECT_TRUE(found("b", "abc"));
  EXPECT_TRUE(found("b", "a\nb\nc"));
  EXPECT_TRUE(found("", ""));
  EXPECT_TRUE(found("^abc$", "abc"));
  EXPECT_FALSE(found("^b", "abc"));
  EXPECT_FALSE(found("b$", "abc"));
  EXPECT_TRUE(found("a|c", "xxc"));
  EXPECT_TRUE(found("^(a|b)+$", "abba"));
  EXPECT_FALSE(found("^(a|b)+$", "abcba"));
}

TEST(SchemaRegex, CountsCodePoints) {
  EXPECT_TRUE(found("^.{3}$", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
  EXPECT_TRUE(found("^[\xc3\xa0-\xc3\xbf]$", "\xc3\xa9"));
  EXPECT_FALSE(found("^[\xc3\xa0-\xc3\xbf]$", "e"));
}

TEST(SchemaRegex, AnchorsAreThoseOfTheText) {
  EXPECT_FALSE(found("^b", "a\nb"));
  EXPECT_FALSE(found("a$", "a\nb"));
}

TEST(SchemaRegex, RefusesWhatItCannotRun) {
  const std::string cases[] = {"(",
                               ")",
                               "a)(b",
                               "[",
                               "*",
                               "a{3,2}",
                               R"((a)\1)",
                               std::string(1001, 'a'),
                               "a{2001}",
                               "(a{100}){100}",
                               "(a{100}){100}{100}",
                               "((((a?){30}){30}){30})",
                               "a{99999999999999999999}",
                               std::string(33, '(') + "a" + std::string(33, ')')};
  for (const auto& pattern : cases) {
    EXPECT_FALSE(SchemaRegex::compile(pattern)) << pattern.substr(0, 30);
  }
}

TEST(SchemaRegex, AcceptsOrdinaryPatternsAtTheirBounds) {
  const std::string uuid = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";
  EXPECT_TRUE(found(uuid, "4bf92f35-77b3-4da6-a3ce-929d0e0e4736"));
  EXPECT_TRUE(found(R"(^[^\]]{1,200}\]$)", std::string(200, 'x') + "]"));
  EXPECT_TRUE(SchemaRegex::compile("a{2000}"));
  EXPECT_TRUE(SchemaRegex::compile(std::string(32, '(') + "a" + std::string(32, ')')));
  EXPECT_TRUE(SchemaRegex::compile(std::string(1000, 'a')));
}

TEST(SchemaRegex, TimeGrowsWithTheTextOnly) {
  const std::string text(56 * 1024, 'a');
  EXPECT_FALSE(found("(a|a)*(a|a)*c", text));
  EXPECT_FALSE(found("a*a*a*b", text));
}

}  // namespace
}  // namespace annals::core
