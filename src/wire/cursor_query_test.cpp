#include "wire/cursor_query.hpp"

#include <gtest/gtest.h>

#include <string>

namespace annals::wire {
namespace {

using Start = CursorQuery::Start;

Query query(std::string_view text) {
  return *Query::parse(text);
}

LogState state(std::uint64_t oldest, std::uint64_t head) {
  LogState state;
  state.log_id = *parse_uuid("0190a000-0000-7000-8000-000000000001");
  state.incarnation = 2;
  state.oldest = oldest;
  state.event_seq = head;
  return state;
}

ErrorCode page_error(std::string_view text) {
  const auto cursor = read_page_cursor(query(text));
  return cursor ? ErrorCode::internal : cursor.error().code;
}

TEST(PageCursor, IsReadByItsGrammar) {
  EXPECT_EQ(read_page_cursor(query(""))->start, Start::absent);
  EXPECT_EQ(read_page_cursor(query("after="))->start, Start::absent);
  EXPECT_EQ(read_page_cursor(query("after=0"))->start, Start::after);
  EXPECT_EQ(read_page_cursor(query("after=9007199254740991"))->after, 9007199254740991U);
  for (const char* text : {"after=01", "after=%205", "after=5%3B", "after=0x5", "after=-1",
                           "after=18446744073709551616", "after=9007199254740992", "after=%00",
                           "after=%ff", "after=1.0", "after=+1", "from=yesterday", "from=0"}) {
    EXPECT_EQ(page_error(text), ErrorCode::invalid_cursor) << text;
  }
}

TEST(PageCursor, StartsAtAPlaceOrATime) {
  EXPECT_EQ(read_page_cursor(query("from=oldest"))->start, Start::oldest);
  EXPECT_EQ(read_page_cursor(query("from=latest"))->start, Start::latest);
  const auto timed = read_page_cursor(query("from=2026-01-02T03:04:05Z"));
  EXPECT_EQ(timed->start, Start::time);
  EXPECT_EQ(timed->time, *parse_timestamp("2026-01-02T03:04:05Z"));
  EXPECT_EQ(page_error("after=1&from=oldest"), ErrorCode::invalid_request);
  EXPECT_EQ(page_error("log_id=x"), ErrorCode::invalid_request);
  EXPECT_EQ(page_error("incarnation=x"), ErrorCode::invalid_request);
}

TEST(StreamCursor, TheHeaderWins) {
  EXPECT_EQ(read_stream_cursor(query("after=3"), "7")->after, 7U);
  EXPECT_EQ(read_stream_cursor(query("last_event_id=3"), "7")->after, 7U);
  EXPECT_EQ(read_stream_cursor(query("from=oldest"), "7")->after, 7U);
  EXPECT_EQ(read_stream_cursor(query("after=3"), "")->after, 3U);
  EXPECT_EQ(read_stream_cursor(query("last_event_id=3"), std::nullopt)->after, 3U);
  EXPECT_EQ(read_stream_cursor(query("after="), "")->start, Start::absent);
  EXPECT_EQ(read_stream_cursor(query("from=oldest"), std::nullopt)->start, Start::oldest);
}

TEST(StreamCursor, AMalformedOneIsNoError) {
  for (const char* text : {"x", " 5", "5;", "0x5", "-1", "18446744073709551616", "\xff"}) {
    EXPECT_EQ(read_stream_cursor(query(""), text)->start, Start::malformed) << text;
    EXPECT_EQ(read_stream_cursor(query("after=3"), text)->start, Start::malformed) << text;
  }
  EXPECT_EQ(read_stream_cursor(query("after=x"), std::nullopt)->start, Start::malformed);
  EXPECT_FALSE(read_stream_cursor(query("after=1&last_event_id=1"), std::nullopt));
  EXPECT_FALSE(read_stream_cursor(query("after=1&from=oldest"), std::nullopt));
}

TEST(Settle, FollowsTheCursorTable) {
  const LogState log = state(11, 20);
  const auto at = [&](std::uint64_t after) {
    return settle({.start = Start::after, .after = after}, log, 99);
  };
  EXPECT_EQ(settle({}, log, 99), (Position{99, {}}));
  EXPECT_EQ(settle({.start = Start::oldest}, log, 99), (Position{10, {}}));
  EXPECT_EQ(settle({.start = Start::latest}, log, 99), (Position{20, {}}));
  EXPECT_EQ(at(10), (Position{10, {}}));
  EXPECT_EQ(at(15), (Position{15, {}}));
  EXPECT_EQ(at(20), (Position{20, {}}));
  EXPECT_EQ(at(9), (Position{10, Resync{"expired", 11, 20, 10, 10}}));
  EXPECT_EQ(at(0), (Position{10, Resync{"expired", 11, 20, 1, 10}}));
  EXPECT_EQ(at(21), (Position{20, Resync{"ahead", 11, 20, 0, 0}}));
  EXPECT_EQ(settle({.start = Start::malformed}, log, 99),
            (Position{20, Resync{"malformed", 11, 20, 0, 0}}));
}

TEST(Settle, GuardsAgainstAnotherLog) {
  const LogState log = state(1, 20);
  CursorQuery cursor{.start = Start::after, .after = 5, .log_id = log.log_id, .incarnation = 2};
  EXPECT_EQ(settle(cursor, log, 0), (Position{5, {}}));
  cursor.incarnation = 1;
  EXPECT_EQ(settle(cursor, log, 0), (Position{20, Resync{"other_incarnation", 1, 20, 0, 0}}));
  cursor.log_id = parse_uuid("0190a000-0000-7000-8000-000000000002");
  EXPECT_EQ(settle(cursor, log, 0), (Position{20, Resync{"other_log", 1, 20, 0, 0}}));
}

}  // namespace
}  // namespace annals::wire
