#include "cli/text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace annals::cli {
namespace {

using namespace std::string_literals;

TEST(Text, NothingThatSteersATerminalIsPrinted) {
  EXPECT_EQ(printable("plain, \xc3\xa4, \xe2\x82\xac, \xf0\x9f\x98\x80"),
            "plain, \xc3\xa4, \xe2\x82\xac, \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("\x1b[31m"s), "?[31m");
  EXPECT_EQ(printable("a\nb\tc\x7f"s), "a?b?c?");
  EXPECT_EQ(printable("\xc2\x9b"s), "?") << "C1 control";
  EXPECT_EQ(printable("\xc2\xa0"s), "\xc2\xa0") << "the first that is no control";
  EXPECT_EQ(printable("\xe2\x80\xae"s), "?") << "right-to-left override";
  EXPECT_EQ(printable("a\0b"s), "a?b");
}

TEST(Text, MalformedBytesBecomeQuestionMarks) {
  EXPECT_EQ(printable("\xff\xfe"s), "??");
  EXPECT_EQ(printable("\xc3"s), "?") << "cut sequence";
  EXPECT_EQ(printable("\xc0\xaf"s), "??") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"s), "???") << "surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"s), "????") << "above U+10FFFF";
  EXPECT_EQ(printable("\xe0\x9f\xbf"s), "???") << "overlong";
}

TEST(Text, ClippedCountsCodePoints) {
  EXPECT_EQ(clipped("abc", 3), "abc");
  EXPECT_EQ(clipped("abcd", 3), "ab~");
  EXPECT_EQ(clipped("\xc3\xa4\xc3\xb6\xc3\xbc", 3), "\xc3\xa4\xc3\xb6\xc3\xbc");
  EXPECT_EQ(clipped("\xc3\xa4\xc3\xb6\xc3\xbc", 2), "\xc3\xa4~");
  EXPECT_EQ(clipped("abc", 0), "");
  EXPECT_EQ(clipped("", 3), "");
}

TEST(Text, CellsHaveTheirWidth) {
  EXPECT_EQ(cell("ab", 4), "ab  ");
  EXPECT_EQ(cell("abcd", 4), "abcd");
  EXPECT_EQ(cell("abcde", 4), "abc~");
  EXPECT_EQ(cell("\xc3\xa4", 3), "\xc3\xa4  ");
  EXPECT_EQ(cell("", 2), "  ");
}

TEST(Text, NumbersForPeople) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(counted(1, "event"), "1 event");
  EXPECT_EQ(counted(2000, "event"), "2,000 events");
}

}  // namespace
}  // namespace annals::cli
