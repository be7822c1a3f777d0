#include "client/event_stream.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/vectors/event_stream_vectors.hpp"

// The frames that every parser of ours has to see: tests/vectors/README.md.

namespace annals::client {
namespace {

std::string bytes_of(const nlohmann::json& entry) {
  if (!entry.contains("hex")) return entry.at("text");
  const std::string hex = entry.at("hex");
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

/// Feeds `bytes` in pieces of `size` and compares with what the entry says.
void expect_frames(const nlohmann::json& entry, std::size_t size) {
  const std::string bytes = bytes_of(entry);
  EventStreamParser parser;
  std::vector<Frame> frames;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    ASSERT_TRUE(parser.push(std::string_view(bytes).substr(at, size), frames));
  }
  std::vector<Frame> expected;
  for (const auto& frame : entry.at("frames")) {
    expected.push_back({frame.at("type"), frame.at("data"), frame.at("id")});
  }
  EXPECT_EQ(frames, expected) << entry.at("name");
  EXPECT_EQ(parser.last_id(), entry.at("last_id").get<std::string>()) << entry.at("name");
  const auto& retry = entry.at("retry");
  EXPECT_EQ(parser.retry(),
            retry.is_null() ? std::nullopt : std::optional(retry.get<std::uint64_t>()))
      << entry.at("name");
}

TEST(EventStream, EveryVectorWholeAndInPieces) {
  const auto all = test::event_stream_vectors();
  std::size_t entries = 0;
  for (const char* part : {"parsing", "emitted"}) {
    for (const auto& entry : all.at(part)) {
      ++entries;
      for (const std::size_t size : {std::size_t{1} << 30U, std::size_t{1}, std::size_t{2},
                                     std::size_t{3}, std::size_t{7}}) {
        expect_frames(entry, size);
      }
    }
  }
  EXPECT_GT(entries, 50U);
}

TEST(EventStream, AFrameThatNeverEndsIsGivenUp) {
  EventStreamParser parser;
  std::vector<Frame> frames;
  const std::string piece(std::size_t{1} << 20U, 'x');
  int pushed = 0;
  while (pushed < 100 && parser.push(piece, frames))
    ++pushed;
  EXPECT_EQ(pushed, 64);
  EXPECT_TRUE(frames.empty());
}

}  // namespace
}  // namespace annals::client
