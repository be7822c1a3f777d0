#include "core/validate_names.hpp"

#include <gtest/gtest.h>

#include <string>

namespace annals::core {
namespace {

using namespace std::string_literals;

/// UTF-8 as the Unicode standard defines it, by decoding.
bool is_utf8_model(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xc0 ? 0
                               : lead < 0xe0 ? 2
                               : lead < 0xf0 ? 3
                               : lead < 0xf8 ? 4
                                             : 0;
    if (length == 0 || i + length > text.size()) return false;
    std::uint32_t code = length == 1 ? lead : lead & (0x7fU >> length);
    for (std::size_t k = 1; k < length; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      if ((byte & 0xc0U) != 0x80) return false;
      code = code << 6U | (byte & 0x3fU);
    }
    const std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
    i += length;
  }
  return true;
}

TEST(Utf8, AgreesWithDecodingForAllShortTexts) {
  // Every lead byte with the second bytes at the edges of all ranges, and every third.
  const std::string edges = "\x00\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xff"s;
  for (int lead = 0; lead < 256; ++lead) {
    std::string text(1, static_cast<char>(lead));
    ASSERT_EQ(is_utf8(text), is_utf8_model(text)) << lead;
    for (const char second : edges) {
      for (const char third : edges) {
        for (const char fourth : edges) {
          text = {static_cast<char>(lead), second, third, fourth};
          for (std::size_t length = 2; length <= 4; ++length) {
            const auto part = std::string_view(text).substr(0, length);
            ASSERT_EQ(is_utf8(part), is_utf8_model(part)) << testing::PrintToString(part);
          }
        }
      }
    }
  }
}

TEST(Names, FollowTheirGrammar) {
  EXPECT_TRUE(is_name("a"));
  EXPECT_TRUE(is_name("a_1"));
  EXPECT_TRUE(is_name(std::string(63, 'a')));
  for (const auto& text : {""s, "_a"s, "1a"s, "A"s, "a-b"s, "a b"s, "a\0"s, std::string(64, 'a')}) {
    EXPECT_FALSE(is_name(text)) << text;
  }
}

TEST(TypePatterns, MatchBelowTheirPrefix) {
  EXPECT_TRUE(matches_type_pattern("a.b", "a.b"));
  EXPECT_FALSE(matches_type_pattern("a.b", "a.b.c"));
  EXPECT_TRUE(matches_type_pattern("a.*", "a.b"));
  EXPECT_TRUE(matches_type_pattern("a.*", "a.b.c"));
  EXPECT_FALSE(matches_type_pattern("a.*", "a"));
  EXPECT_FALSE(matches_type_pattern("a.*", "a."));
  EXPECT_FALSE(matches_type_pattern("a.*", "ab.c"));
}

TEST(TypePatterns, CountTheirAsterisk) {
  EXPECT_TRUE(is_type_pattern(std::string(198, 'a') + ".*"));
  EXPECT_FALSE(is_type_pattern(std::string(199, 'a') + ".*"));
  EXPECT_TRUE(is_type_pattern(std::string(200, 'a')));
}

}  // namespace
}  // namespace annals::core
