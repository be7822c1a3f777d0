#include "client/server_url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace annals::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ServerUrl, SchemeHostPortAndPath) {
  EXPECT_EQ(*parse_server_url("http://127.0.0.1:7420"), (ServerUrl{false, "127.0.0.1", 7420, ""}));
  EXPECT_EQ(*parse_server_url("https://events.example.com/"),
            (ServerUrl{true, "events.example.com", 443, ""}));
  EXPECT_EQ(*parse_server_url("http://example.com/log/"),
            (ServerUrl{false, "example.com", 80, "/log"}));
  EXPECT_EQ(*parse_server_url("http://[::1]:7420"), (ServerUrl{false, "::1", 7420, ""}));
}

TEST(ServerUrl, IsWrittenAsItWasRead) {
  for (const std::string text : {"http://127.0.0.1:7420", "https://events.example.com",
                                 "https://example.com:8443/log", "http://[::1]:7420"}) {
    EXPECT_EQ(to_string(*parse_server_url(text)), text);
  }
  EXPECT_EQ(parse_server_url("http://[::1]:7420")->authority(), "[::1]:7420");
  EXPECT_EQ(parse_server_url("https://example.com:443")->authority(), "example.com");
}

TEST(ServerUrl, AnythingElseIsRefusedWithoutRepeatingIt) {
  for (const std::string text : {"",
                                 "localhost:7420",
                                 "ftp://example.com",
                                 "http://",
                                 "http://:80",
                                 "http://example.com:",
                                 "http://example.com:0",
                                 "http://example.com:65536",
                                 "http://example.com:7x",
                                 "http://example.com?key=1",
                                 "http://example.com/#a",
                                 "http://s3cr3t@example.com",
                                 "http://alex:s3cr3t@example.com",  // not a secret
                                 "http://exa mple.com",
                                 "http://example.com/a b",
                                 "http://a:b:c",
                                 "http://[::1",
                                 "http://[::1]7420",
                                 "http://[example.com]:1",
                                 "http://example.com\r\nX: y"}) {
    const auto url = parse_server_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code, ErrorCode::invalid_request);
    EXPECT_THAT(url.error().detail, Not(HasSubstr("s3cr3t")));
  }
}

}  // namespace
}  // namespace annals::client
