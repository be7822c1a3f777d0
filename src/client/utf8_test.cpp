#include "client/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace annals::client {
namespace {

std::string replaced(std::string text) {
  replace_malformed(text);
  return text;
}

const std::string mark = "\xEF\xBF\xBD";

TEST(Utf8, WellFormedTextStaysAsItIs) {
  for (const std::string text : {"", "abc", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80",
                                 "\xED\x9F\xBF\xEE\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(replaced(text), text);
  }
}

TEST(Utf8, EachLongestBeginningIsOneMark) {
  EXPECT_EQ(replaced("a\xFF"
                     "b"),
            "a" + mark + "b");
  EXPECT_EQ(replaced("\xE2\x82"), mark);
  EXPECT_EQ(replaced("\xE2\x82x"), mark + "x");
  EXPECT_EQ(replaced("\xF0\x9F\x98"), mark);
  EXPECT_EQ(replaced("\x80\x80"), mark + mark);
  // Too long a form, a surrogate, and beyond the last character: no byte of them begins anything.
  EXPECT_EQ(replaced("\xC0\xAF"), mark + mark);
  EXPECT_EQ(replaced("\xE0\x80\xAF"), mark + mark + mark);
  EXPECT_EQ(replaced("\xED\xA0\x80"), mark + mark + mark);
  EXPECT_EQ(replaced("\xF4\x90\x80\x80"), mark + mark + mark + mark);
}

}  // namespace
}  // namespace annals::client
