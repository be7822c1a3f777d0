#include "cli/event_input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace annals::cli {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> lines_of(const std::string& text, std::size_t max_bytes) {
  std::istringstream input(text);
  LineReader reader(input, max_bytes);
  std::vector<std::string> out;
  std::string line;
  for (auto got = reader.next(line); got != LineReader::Got::end; got = reader.next(line)) {
    out.push_back(got == LineReader::Got::too_long ? "(too long) " + line : line);
  }
  return out;
}

TEST(LineReader, EndsOfLines) {
  EXPECT_THAT(lines_of("a\nb\r\n\nc", 10), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(lines_of("a\n", 10), ElementsAre("a"));
  EXPECT_THAT(lines_of("", 10), ElementsAre());
  EXPECT_THAT(lines_of("\n", 10), ElementsAre(""));
  EXPECT_THAT(lines_of("a\rb\n", 10), ElementsAre("a\rb"));
}

TEST(LineReader, ALineOverTheLimitIsSkippedWhole) {
  EXPECT_THAT(lines_of("abc\nabcd\nabcde\nx\n", 4),
              ElementsAre("abc", "abcd", "(too long) abcd", "x"));
}

TEST(WholeObject, TellsNdjsonFromADocument) {
  EXPECT_TRUE(is_whole_object(R"({"type":"a.b"})"));
  EXPECT_TRUE(is_whole_object(R"(  {"type":"a.b"}  )"));
  for (const auto* line :
       {"{", R"({"type":)", "[]", R"([{"type":"a.b"}])", "5", "", R"({} {})", "{}x"}) {
    EXPECT_FALSE(is_whole_object(line)) << line;
  }
}

}  // namespace
}  // namespace annals::cli
