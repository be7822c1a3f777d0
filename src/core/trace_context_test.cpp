#include "core/trace_context.hpp"

#include <gtest/gtest.h>

namespace annals::core {
namespace {

constexpr const char* sampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(TraceParent, ReadsVersionZero) {
  const auto trace = parse_traceparent(sampled);
  ASSERT_TRUE(trace);
  EXPECT_EQ(to_string(trace->trace_id), "4bf92f35-77b3-4da6-a3ce-929d0e0e4736");
  EXPECT_TRUE(trace->sampled);
  EXPECT_EQ(trace->text, sampled);
}

TEST(TraceParent, SampledIsTheLowestFlagOnly) {
  const std::string text(sampled);
  const auto with_flags = [&](const char* flags) {
    return parse_traceparent(text.substr(0, 53) + flags)->sampled;
  };
  EXPECT_FALSE(with_flags("00"));
  EXPECT_FALSE(with_flags("02"));
  EXPECT_FALSE(with_flags("f0"));
  EXPECT_TRUE(with_flags("03"));
  EXPECT_TRUE(with_flags("ff"));
}

TEST(TraceParent, LaterVersionsMayAppendFields) {
  const std::string later = "cc" + std::string(sampled).substr(2);
  EXPECT_TRUE(parse_traceparent(later));
  const auto longer = parse_traceparent(later + "-what-the-future-brings");
  ASSERT_TRUE(longer);
  EXPECT_TRUE(longer->sampled);
  EXPECT_EQ(longer->text, later + "-what-the-future-brings");
  EXPECT_FALSE(parse_traceparent(later + "x"));
  EXPECT_FALSE(parse_traceparent(later + "-a b"));
  EXPECT_FALSE(parse_traceparent(later + "-\x80"));
  EXPECT_TRUE(parse_traceparent(later + "-" + std::string(144, 'a')));
  EXPECT_FALSE(parse_traceparent(later + "-" + std::string(145, 'a')));
}

TEST(TraceParent, MalformedCountsAsAbsent) {
  for (const char* text : {"", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
                           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
                           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-011",
                           "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                           "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                           "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                           "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                           "00-4bf92f3577b34da6a3ce929d0e0e4736-00F067AA0BA902B7-01",
                           "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
                           "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
                           "0g-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
                           " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}) {
    EXPECT_FALSE(parse_traceparent(text)) << text;
  }
}

}  // namespace
}  // namespace annals::core
