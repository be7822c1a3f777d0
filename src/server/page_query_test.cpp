#include "server/page_query.hpp"

#include <gtest/gtest.h>

#include <string>

namespace annals::server {
namespace {

using std::chrono::milliseconds;

Result<PageQuery> read(std::string_view text) {
  return read_page_query(*wire::Query::parse(text), {100, 1000, milliseconds{60'000}});
}

std::string code(std::string_view text) {
  const auto page = read(text);
  return std::string{page ? "ok" : to_string(page.error().code)};
}

TEST(PageQuery, OfNothingIsTheDefault) {
  PageQuery expected;
  expected.range.limit = 100;
  EXPECT_EQ(*read(""), expected);
  EXPECT_EQ(*read("after=&limit=&order=&wait=&last=&before=&min_seq="), expected);
}

TEST(PageQuery, LimitIsFromOneToTheMost) {
  EXPECT_EQ(read("limit=1")->range.limit, 1U);
  EXPECT_EQ(read("limit=1000")->range.limit, 1000U);
  for (const char* text : {"limit=0", "limit=1001", "limit=-1", "limit=x", "limit=1.5"}) {
    EXPECT_EQ(code(text), "invalid_request") << text;
  }
}

TEST(PageQuery, OrderTurnsThePageRound) {
  EXPECT_EQ(read("order=asc")->range.order, Order::forward);
  const auto page = read("order=desc&before=9&after=3&limit=2");
  EXPECT_EQ(page->range, (PageRange{Order::backward, 9, 2}));
  EXPECT_EQ(page->cursor.after, 3U);
  EXPECT_FALSE(page->newest);
  EXPECT_EQ(code("order=down"), "invalid_request");
  EXPECT_EQ(code("before=9"), "invalid_request");
  EXPECT_EQ(code("order=desc&before=-1"), "invalid_cursor");
}

TEST(PageQuery, LastStandsAlone) {
  const auto page = read("last=7&min_seq=3");
  EXPECT_TRUE(page->newest);
  EXPECT_EQ(page->range, (PageRange{Order::backward, max_seq + 1, 7}));
  EXPECT_EQ(page->min_seq, 3U);
  for (const char* text : {"last=0", "last=1001", "last=x", "last=1&after=1", "last=1&from=oldest",
                           "last=1&order=desc", "last=1&limit=1", "last=1&wait=1s"}) {
    EXPECT_EQ(code(text), "invalid_request") << text;
  }
}

TEST(PageQuery, WaitsAreBounded) {
  EXPECT_EQ(read("wait=30s")->wait, milliseconds{30'000});
  EXPECT_EQ(read("wait=250ms")->wait, milliseconds{250});
  EXPECT_EQ(read("wait=1m")->wait, milliseconds{60'000});
  EXPECT_EQ(read("wait=0s")->wait, milliseconds{0});
  for (const char* text :
       {"wait=30", "wait=s", "wait=61s", "wait=-1s", "wait=1h", "wait=1.5s", "wait=9999999999999s",
        "wait=1s&order=desc", "min_seq=x", "min_seq=-1"}) {
    EXPECT_EQ(code(text), "invalid_request") << text;
  }
}

TEST(PageQuery, MalformedCursorsAreNamedFirst) {
  EXPECT_EQ(code("after=x&limit=0"), "invalid_cursor");
  EXPECT_EQ(code("after=1&from=oldest"), "invalid_request");
}

}  // namespace
}  // namespace annals::server
