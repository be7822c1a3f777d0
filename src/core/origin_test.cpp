#include "core/origin.hpp"

#include <gtest/gtest.h>

namespace annals::core {
namespace {

using Origins = std::vector<std::string>;

TEST(Origin, IsWhatBrowsersSend) {
  for (const char* origin : {"https://app.example.com", "http://localhost:3000", "http://localhost",
                             "http://127.0.0.1:8080", "http://[::1]", "https://[2001:db8::1]:8443",
                             "https://app.example.com:80", "http://a.example:443"}) {
    EXPECT_TRUE(is_origin(origin)) << origin;
  }
}

TEST(Origin, IsNothingElse) {
  for (const char* text : {"",
                           "null",
                           "*",
                           "app.example.com",
                           "https://",
                           "https://*",
                           "https://*.example.com",
                           "https://App.example.com",
                           "https://app.example.com/",
                           "https://app.example.com/page",
                           "https://app.example.com:443",
                           "http://app.example.com:80",
                           "https://app.example.com:",
                           "https://app.example.com:0",
                           "https://app.example.com:0443",
                           "https://app.example.com:65536",
                           "https://app.example.com:+1",
                           "https://alex@app.example.com",
                           "ftp://app.example.com",
                           "file://",
                           "http://[]",
                           "http://[::1",
                           "http://::1",
                           "http://[::1]x",
                           "HTTP://a.example",
                           "https://a.example ",
                           "https://a.example?x",
                           "https://a.example#x"}) {
    EXPECT_FALSE(is_origin(text)) << text;
  }
}

TEST(Origin, AListIsSeparatedByCommas) {
  EXPECT_EQ(parse_origins(""), Origins{});
  EXPECT_EQ(parse_origins("  "), Origins{});
  EXPECT_EQ(parse_origins("https://a.example"), (Origins{"https://a.example"}));
  EXPECT_EQ(parse_origins("https://a.example, http://b.example:1 ,http://c.example"),
            (Origins{"https://a.example", "http://b.example:1", "http://c.example"}));
  for (const char* list : {",", "https://a.example,", "https://a.example http://b.example",
                           "https://a.example,*", ",https://a.example"}) {
    EXPECT_EQ(parse_origins(list), std::nullopt) << list;
  }
}

}  // namespace
}  // namespace annals::core
