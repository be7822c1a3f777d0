#include "wire/query.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace annals::wire {
namespace {

TEST(PercentDecode, ReadsTwoHexDigits) {
  EXPECT_EQ(percent_decode("a%2Fb%c3%A9", false), "a/b\xC3\xA9");
  EXPECT_EQ(percent_decode("%41", false), "A");
  EXPECT_EQ(percent_decode("a+b", false), "a+b");
  EXPECT_EQ(percent_decode("a+b", true), "a b");
  for (const char* text : {"%", "%4", "%4g", "%g4", "a%"}) {
    EXPECT_EQ(percent_decode(text, false), std::nullopt) << text;
  }
}

TEST(PercentEncode, KeepsWhatItIsTold) {
  EXPECT_EQ(percent_encode("aZ09-._~ /\"%\xC3\xA9"), "aZ09-._~%20%2F%22%25%C3%A9");
  EXPECT_EQ(percent_encode("a/b:c", "/:"), "a/b:c");
}

TEST(Query, KeepsOrderAndEmptyValues) {
  const auto query = Query::parse("a=1&&b&c=&a%3D=%26");
  ASSERT_TRUE(query);
  EXPECT_EQ(query->parameters(),
            (std::vector<Parameter>{{"a", "1"}, {"b", ""}, {"c", ""}, {"a=", "&"}}));
  EXPECT_EQ(query->find("a"), "1");
  EXPECT_EQ(query->find("c"), "");
  EXPECT_EQ(query->value("c"), std::nullopt);
  EXPECT_EQ(query->find("d"), std::nullopt);
  EXPECT_FALSE(Query::parse("a=%zz"));
}

TEST(Query, RefusesUnknownAndRepeatedParameters) {
  const auto code = [](std::string_view text) {
    const std::vector<std::string_view> known{"after", "limit"};
    const auto allowed = Query::parse(text)->allow_only(known);
    return allowed ? ErrorCode::internal : allowed.error().code;
  };
  EXPECT_EQ(code("after=1&limit=2&_=123&cb=4&_=5"), ErrorCode::internal);
  EXPECT_EQ(code("after=1&limt=2"), ErrorCode::unknown_parameter);
  EXPECT_EQ(code("After=1"), ErrorCode::unknown_parameter);
  EXPECT_EQ(code("after=1&after=1"), ErrorCode::invalid_request);
}

}  // namespace
}  // namespace annals::wire
