#include "server/base64url.hpp"

#include <gtest/gtest.h>

#include <string>

#include "testing/token_mint.hpp"

namespace annals::server {
namespace {

TEST(Base64Url, ReadsTheVectorsOfTheRfc) {
  // RFC 4648, section 10, without padding; RFC 7515, appendix C.
  EXPECT_EQ(decode_base64url(""), "");
  EXPECT_EQ(decode_base64url("Zg"), "f");
  EXPECT_EQ(decode_base64url("Zm8"), "fo");
  EXPECT_EQ(decode_base64url("Zm9v"), "foo");
  EXPECT_EQ(decode_base64url("Zm9vYmFy"), "foobar");
  EXPECT_EQ(decode_base64url("A-z_4ME"), "\x03\xEC\xFF\xE0\xC1");
}

TEST(Base64Url, ReadsWhatAnyBytesAreWrittenAs) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(decode_base64url(test::base64url(bytes)), bytes);
    bytes.push_back(static_cast<char>(i * 167));
  }
}

TEST(Base64Url, TakesOneTextOnlyForTheSameBytes) {
  for (const char* text : {"Z", "Zg==", "Zm8=", "Zh", "Zm9", "Zm9v\n", "Zm 9", "Zm9vY", "+A", "/A",
                           "A\xC3\xA4", "Zg."}) {
    EXPECT_FALSE(decode_base64url(text)) << text;
  }
}

}  // namespace
}  // namespace annals::server
