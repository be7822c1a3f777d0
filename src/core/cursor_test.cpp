#include "core/cursor.hpp"

#include <gtest/gtest.h>

#include <string>

namespace annals::core {
namespace {

using namespace std::string_literals;

TEST(Cursor, AcceptsPlainNumbers) {
  EXPECT_EQ(parse_cursor("0"), 0U);
  EXPECT_EQ(parse_cursor("1"), 1U);
  EXPECT_EQ(parse_cursor("10"), 10U);
  EXPECT_EQ(parse_cursor("999999999999999"), 999'999'999'999'999U);
  EXPECT_EQ(parse_cursor("9007199254740991"), 9'007'199'254'740'991U);
}

TEST(Cursor, RefusesEverythingElse) {
  const std::string cases[] = {"",
                               " 5",
                               "5 ",
                               "5;",
                               "0x5",
                               "-1",
                               "+1",
                               "-0",
                               "00",
                               "05",
                               "1e3",
                               "1.0",
                               "1_000",
                               "9007199254740992",
                               "9999999999999999",
                               "10000000000000000",
                               "18446744073709551615",
                               "18446744073709551616",
                               "5\0"s,
                               "\0"s,
                               "5\n",
                               "\t5",
                               "\xff\xfe",
                               "\xd9\xa5",
                               "NaN",
                               "latest",
                               std::string(1 << 20, '1'),
                               std::string(1 << 20, '0')};
  for (const auto& text : cases) {
    const auto cursor = parse_cursor(text);
    ASSERT_FALSE(cursor) << text.substr(0, 20);
    EXPECT_EQ(cursor.error().code, ErrorCode::invalid_cursor);
    EXPECT_LT(cursor.error().detail.size(), 200U) << "the text is not repeated";
  }
}

struct Place {
  std::uint64_t after;
  std::uint64_t oldest;
  std::uint64_t head;
};

TEST(CheckCursor, ContinuesFromBeforeTheOldestToTheHead) {
  for (const Place place : {Place{0, 1, 0}, Place{0, 1, 5}, Place{5, 1, 5}, Place{9, 10, 20},
                            Place{10, 10, 20}, Place{20, 10, 20}}) {
    EXPECT_TRUE(check_cursor(place.after, place.oldest, place.head)) << place.after;
  }
}

TEST(CheckCursor, SaysWhatIsLost) {
  const auto result = check_cursor(3, 10, 20);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::resync_required);
  EXPECT_EQ(std::get<Resync>(result.error().details),
            (Resync{.reason = "expired", .oldest = 10, .head = 20, .lost_from = 4, .lost_to = 9}));

  const auto last = check_cursor(8, 10, 20);
  ASSERT_FALSE(last);
  EXPECT_EQ(std::get<Resync>(last.error().details),
            (Resync{.reason = "expired", .oldest = 10, .head = 20, .lost_from = 9, .lost_to = 9}));
}

TEST(CheckCursor, AboveTheHeadIsAhead) {
  for (const Place place :
       {Place{1, 1, 0}, Place{21, 10, 20}, Place{9'007'199'254'740'991, 1, 5}}) {
    const auto result = check_cursor(place.after, place.oldest, place.head);
    ASSERT_FALSE(result);
    EXPECT_EQ(std::get<Resync>(result.error().details),
              (Resync{.reason = "ahead", .oldest = place.oldest, .head = place.head}));
  }
}

}  // namespace
}  // namespace annals::core
