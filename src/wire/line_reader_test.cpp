#include "wire/line_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace annals::wire {
namespace {

using testing::ElementsAre;

std::vector<std::string> read(std::string_view body, std::size_t piece, std::size_t max_bytes) {
  LineReader reader{max_bytes};
  std::vector<std::string> out;
  const auto drain = [&] {
    while (const auto line = reader.next()) {
      out.push_back(std::to_string(line->number) + ':' + (line->too_long ? "<long>" : line->text));
    }
  };
  while (!body.empty()) {
    reader.feed(body.substr(0, piece));
    drain();
    body.remove_prefix(std::min(piece, body.size()));
  }
  reader.finish();
  drain();
  return out;
}

TEST(LineReader, IsTheSameForEveryPieceSize) {
  const std::string body = "one\r\n\n  \ntwo\nlongline\nlong\r\nlast";
  for (std::size_t piece = 1; piece <= body.size(); ++piece) {
    EXPECT_THAT(read(body, piece, 4), ElementsAre("1:one", "4:two", "5:<long>", "6:long", "7:last"))
        << piece;
  }
}

TEST(LineReader, TheLastLineNeedsNoEnd) {
  EXPECT_THAT(read("a\n", 100, 10), ElementsAre("1:a"));
  EXPECT_THAT(read("a", 100, 10), ElementsAre("1:a"));
  EXPECT_THAT(read("", 100, 10), ElementsAre());
  EXPECT_THAT(read("\n\n", 100, 10), ElementsAre());
  EXPECT_THAT(read("12345", 2, 4), ElementsAre("1:<long>"));
}

}  // namespace
}  // namespace annals::wire
