#include "server/jwt_key.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>

#include "server/base64url.hpp"
#include "testing/temp_dir.hpp"

namespace annals::server {
namespace {

class JwtKeyTest : public ::testing::Test {
 protected:
  /// A new file with this content.
  [[nodiscard]] std::filesystem::path file(std::string_view content) {
    auto path = folder_ / ("key" + std::to_string(++files_));
    std::ofstream{path, std::ios::binary} << content;
    return path;
  }

  static ErrorCode code_of(const Result<JwtKey>& key) {
    return key ? ErrorCode::internal : key.error().code;
  }

  const test::TempDir folder_;
  int files_ = 0;
};

TEST_F(JwtKeyTest, ChecksTheHmacOfRfc7515) {
  // Appendix A.1.
  const auto secret = decode_base64url(
      "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow");
  const auto key = JwtKey::load(JwtAlgorithm::hs256, file(*secret));
  ASSERT_TRUE(key) << key.error().detail;
  const std::string text =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
      "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVl"
      "fQ";
  const auto signature = decode_base64url("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
  EXPECT_TRUE(key->signs(text, *signature));
  EXPECT_FALSE(key->signs(text + "x", *signature));
  EXPECT_FALSE(key->signs(text, signature->substr(1)));
  EXPECT_FALSE(key->signs(text, ""));
}

TEST_F(JwtKeyTest, ChecksTheEd25519SignatureOfRfc8037) {
  // Appendix A.4, with the public key of A.2 behind its DER prefix.
  const auto key = JwtKey::load(
      JwtAlgorithm::eddsa, file("-----BEGIN PUBLIC KEY-----\n"
                                "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
                                "-----END PUBLIC KEY-----\n"));
  ASSERT_TRUE(key) << key.error().detail;
  const std::string text = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
  auto signature = decode_base64url(
      "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg");
  EXPECT_TRUE(key->signs(text, *signature));
  EXPECT_FALSE(key->signs(text + "x", *signature));
  EXPECT_FALSE(key->signs(text, ""));
  signature->front() ^= 1;
  EXPECT_FALSE(key->signs(text, *signature));
}

TEST_F(JwtKeyTest, LeavesOutOneNewlineAtTheEndOfASecret) {
  const std::string secret(32, 's');
  const auto plain = JwtKey::load(JwtAlgorithm::hs256, file(secret));
  EXPECT_TRUE(plain);
  EXPECT_TRUE(JwtKey::load(JwtAlgorithm::hs256, file(secret + "\n")));
  EXPECT_EQ(code_of(JwtKey::load(JwtAlgorithm::hs256, file(secret.substr(1) + "\n"))),
            ErrorCode::invalid_request);
}

TEST_F(JwtKeyTest, RefusesWhatIsNoKey) {
  for (const auto& bad :
       {folder_ / "missing", folder_.path(), file(""), file("short, but a secret")}) {
    for (const auto algorithm : {JwtAlgorithm::hs256, JwtAlgorithm::eddsa})
      EXPECT_EQ(code_of(JwtKey::load(algorithm, bad)), ErrorCode::invalid_request) << bad;
  }
  EXPECT_EQ(code_of(JwtKey::load(JwtAlgorithm::hs256, file(std::string(70'000, 'x')))),
            ErrorCode::invalid_request);
  // A key of P-256, not of Ed25519.
  const auto other = JwtKey::load(
      JwtAlgorithm::eddsa, file("-----BEGIN PUBLIC KEY-----\n"
                                "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7\n"
                                "6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==\n"
                                "-----END PUBLIC KEY-----\n"));
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().detail, ::testing::HasSubstr("Ed25519"));
}

TEST_F(JwtKeyTest, SaysNothingOfWhatIsInTheFile) {
  const auto key = JwtKey::load(JwtAlgorithm::hs256, file("too short to be safe"));
  ASSERT_FALSE(key);
  EXPECT_THAT(key.error().detail, ::testing::Not(::testing::HasSubstr("too short")));
}

}  // namespace
}  // namespace annals::server
