#include "annals/read_grant.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace annals {
namespace {

using testing::HasSubstr;

ReadGrant grant(ReadArea area, std::string value, std::set<std::string, std::less<>> actions) {
  return {area, std::move(value), std::move(actions)};
}

void expect_form(std::string_view text, const ReadGrant& wanted) {
  const auto read = parse_read_grant(text);
  ASSERT_TRUE(read) << text << ": " << read.error().detail;
  EXPECT_EQ(*read, wanted) << text;
  EXPECT_EQ(to_string(*read), text);
}

void expect_refused(std::string_view text, const char* reason) {
  const auto read = parse_read_grant(text);
  ASSERT_FALSE(read) << text;
  EXPECT_EQ(read.error().code, ErrorCode::invalid_request) << text;
  EXPECT_THAT(read.error().detail, HasSubstr(reason)) << text;
}

TEST(ReadGrant, TextFormsRoundTrip) {
  expect_form("all", ReadGrant::all());
  expect_form("own", ReadGrant::own());
  expect_form("own:notify", grant(ReadArea::own, "", {"notify"}));
  expect_form("space=s1", grant(ReadArea::space, "s1", {"read"}));
  expect_form("channel=c1:notify,read", grant(ReadArea::channel, "c1", {"notify", "read"}));
  expect_form("stream=order/", grant(ReadArea::stream, "order/", {"read"}));
  expect_form("stream=$access", grant(ReadArea::stream, "$access", {"read"}));
  expect_form("type=order.paid", grant(ReadArea::type, "order.paid", {"read"}));
  expect_form("type=order.*:audit", grant(ReadArea::type, "order.*", {"audit"}));
  expect_form("space=a=b, c", grant(ReadArea::space, "a=b, c", {"read"}));
}

TEST(ReadGrant, OtherSpellingsAreReadToo) {
  EXPECT_EQ(parse_read_grant("own:read"), ReadGrant::own());
  EXPECT_EQ(parse_read_grant("channel=c1:read,notify"),
            grant(ReadArea::channel, "c1", {"notify", "read"}));
}

TEST(ReadGrant, AValueWithAColonHasItsActionsWrittenOut) {
  expect_form("stream=order::read", grant(ReadArea::stream, "order:", {"read"}));
  expect_form("space=a:b:notify", grant(ReadArea::space, "a:b", {"notify"}));
  expect_refused("stream=order:1", "behind the last colon");
  expect_refused("stream=order:", "behind the last colon");
}

TEST(ReadGrant, UnknownAreasAreRefused) {
  for (const char* text :
       {"", "none", "All", "owner", "all ", " all", ":read", "=x", "thread=t1", "*"}) {
    expect_refused(text, "names an area");
  }
}

TEST(ReadGrant, ValuesFollowTheRulesOfTheirMember) {
  for (const char* text : {"space", "channel:read", "stream", "type:read"})
    expect_refused(text, "needs a value");
  for (const char* text : {"own=1", "all=", "all=x:read"})
    expect_refused(text, "has no value");
  for (const char* text : {"space=", "channel=:read", "stream=", "space=\xff"})
    expect_refused(text, "1 to 200 bytes");
  expect_form("space=" + std::string(200, 'x'),
              grant(ReadArea::space, std::string(200, 'x'), {"read"}));
  expect_refused("space=" + std::string(201, 'x'), "1 to 200 bytes");
  expect_refused(std::string_view{"space=a\0b", 9}, "1 to 200 bytes");
  for (const char* text : {"type=", "type=*", "type=.*", "type=a*", "type=a b", "type=a..b"})
    expect_refused(text, "type name");
}

TEST(ReadGrant, ActionsAreNamesGivenOnce) {
  for (const char* text : {"own:", "own:read,", "own:,read", "own:Read", "own:read, notify",
                           "own:1st", "own:a-b", "own:*"}) {
    expect_refused(text, "names of small letters");
  }
  expect_refused("own:read,read", "twice");
  expect_refused("own:self", "audience");
  expect_refused("own:read,self", "audience");
}

TEST(ReadGrant, AllTakesEveryAction) {
  expect_refused("all:read", "every action");
  expect_refused("all:", "every action");
  EXPECT_TRUE(ReadGrant::all().actions.empty());
}

TEST(ReadGrant, HasAtMostSixteenActions) {
  std::string text = "own:a0";
  for (int i = 1; i < 16; ++i)
    text += ",a" + std::to_string(i);
  ASSERT_TRUE(parse_read_grant(text));
  EXPECT_EQ(parse_read_grant(text)->actions.size(), max_grant_actions);
  expect_refused(text + ",a16", "at most 16");
}

TEST(ReadGrants, HoldAllWhereverItWasPut) {
  EXPECT_FALSE(reads_all({}));
  EXPECT_FALSE(reads_all({ReadGrant::own(), grant(ReadArea::type, "a.b", {"read"})}));
  EXPECT_TRUE(reads_all({ReadGrant::all()}));
  EXPECT_TRUE(reads_all({grant(ReadArea::type, "a.b", {}), ReadGrant::own(), ReadGrant::all()}));
}

}  // namespace
}  // namespace annals
