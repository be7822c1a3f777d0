#include "annals/time.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace annals {
namespace {

using std::chrono::microseconds;

std::string normalized(std::string_view text) {
  const auto time = parse_timestamp(text);
  return time ? to_string(*time) : "refused";
}

TEST(Timestamp, WritesSixDecimalsAndZ) {
  EXPECT_EQ(to_string(Timestamp{}), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(to_string(Timestamp{microseconds{-1}}), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(to_string(Timestamp{microseconds{1'796'025'600'000'123}}),
            "2026-11-30T08:00:00.000123Z");
}

TEST(Timestamp, ReadsAllOfRfc3339) {
  EXPECT_EQ(normalized("2026-11-30T08:00:00Z"), "2026-11-30T08:00:00.000000Z");
  EXPECT_EQ(normalized("2026-11-30t08:00:00.5z"), "2026-11-30T08:00:00.500000Z");
  EXPECT_EQ(normalized("2026-11-30T08:00:00+01:30"), "2026-11-30T06:30:00.000000Z");
  EXPECT_EQ(normalized("2026-11-30T08:00:00-00:00"), "2026-11-30T08:00:00.000000Z");
  EXPECT_EQ(normalized("2026-11-30T08:00:00+23:59"), "2026-11-29T08:01:00.000000Z");
  EXPECT_EQ(normalized("2026-11-30T08:00:00-23:59"), "2026-12-01T07:59:00.000000Z");
  EXPECT_EQ(normalized("2024-02-29T23:59:59Z"), "2024-02-29T23:59:59.000000Z");
  EXPECT_EQ(normalized("2000-02-29T00:00:00Z"), "2000-02-29T00:00:00.000000Z");
}

TEST(Timestamp, CutsDecimalsBeforeAnythingElse) {
  EXPECT_EQ(normalized("2026-11-30T08:00:00.1234569Z"), "2026-11-30T08:00:00.123456Z");
  EXPECT_EQ(normalized("1969-12-31T23:59:59.9999999Z"), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(normalized("2026-11-30T08:00:00." + std::string(400, '9') + "Z"),
            "2026-11-30T08:00:00.999999Z");
}

TEST(Timestamp, CoversYearOneToYear9999) {
  EXPECT_EQ(normalized("0001-01-01T00:00:00.000001Z"), "0001-01-01T00:00:00.000001Z");
  EXPECT_EQ(normalized("9999-12-31T23:59:59.999999Z"), "9999-12-31T23:59:59.999999Z");
  EXPECT_EQ(normalized("0001-01-01T00:00:00+00:01"), "refused");
  EXPECT_EQ(normalized("9999-12-31T23:59:59-00:01"), "refused");
  EXPECT_EQ(normalized("0000-12-31T23:59:59Z"), "refused");
  // What counts is the moment, not the year as written.
  EXPECT_EQ(normalized("0000-12-31T23:59:00-00:01"), "0001-01-01T00:00:00.000000Z");
}

TEST(Timestamp, RefusesEverythingElse) {
  for (const char* text : {"",
                           "2026",
                           "2026-11-30",
                           "2026-11-30T08:00Z",
                           "2026-11-30T08:00:00",
                           "2026-11-30 08:00:00Z",
                           "2026-11-30T08:00:60Z",
                           "2016-12-31T23:59:60Z",
                           "2026-11-30T24:00:00Z",
                           "2026-11-30T08:60:00Z",
                           "2026-13-01T00:00:00Z",
                           "2026-00-01T00:00:00Z",
                           "2026-02-29T00:00:00Z",
                           "1900-02-29T00:00:00Z",
                           "2026-11-31T00:00:00Z",
                           "2026-11-00T00:00:00Z",
                           "2026-11-30T08:00:00.Z",
                           "2026-11-30T08:00:00,5Z",
                           "2026-11-30T08:00:00+24:00",
                           "2026-11-30T08:00:00+01:60",
                           "2026-11-30T08:00:00+0100",
                           "2026-11-30T08:00:00+01",
                           "2026-11-30T08:00:00 Z",
                           "2026-11-30T08:00:00ZZ",
                           " 2026-11-30T08:00:00Z",
                           "2026-11-30T08:00:00Z ",
                           "+026-11-30T08:00:00Z",
                           "-026-11-30T08:00:00Z",
                           "02026-11-30T08:00:00Z",
                           "20261130T080000Z",
                           "2026-11-30T8:00:00Z",
                           "2026-11-30T08:00:00.5",
                           "1e9"}) {
    EXPECT_EQ(normalized(text), "refused") << text;
  }
}

RC_GTEST_PROP(TimestampProperty, RoundTrips, ()) {
  const auto first = parse_timestamp("0001-01-01T00:00:00Z")->time_since_epoch().count();
  const auto last = parse_timestamp("9999-12-31T23:59:59.999999Z")->time_since_epoch().count();
  const Timestamp time{microseconds{*rc::gen::inRange<std::int64_t>(first, last + 1)}};
  const std::string text = to_string(time);
  RC_ASSERT(text.size() == 27U);
  RC_ASSERT(parse_timestamp(text) == time);
}

RC_GTEST_PROP(TimestampProperty, OrderOfTextIsOrderOfTime, ()) {
  const auto any = rc::gen::inRange<std::int64_t>(-62'135'596'800'000'000, 253'402'300'800'000'000);
  const Timestamp left{microseconds{*any}};
  const Timestamp right{microseconds{*any}};
  RC_ASSERT((left < right) == (to_string(left) < to_string(right)));
}

RC_GTEST_PROP(TimestampProperty, OffsetMovesTheMoment, ()) {
  const int minutes = *rc::gen::inRange(-1439, 1440);
  const int size = minutes < 0 ? -minutes : minutes;
  const auto two = [](int n) { return std::string(n < 10 ? "0" : "") + std::to_string(n); };
  const std::string text = "2026-11-30T08:00:00" + std::string(minutes < 0 ? "-" : "+") +
                           two(size / 60) + ":" + two(size % 60);
  RC_ASSERT(parse_timestamp(text) ==
            *parse_timestamp("2026-11-30T08:00:00Z") - std::chrono::minutes{minutes});
}

}  // namespace
}  // namespace annals
