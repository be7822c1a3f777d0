#include "server/jwt_claims.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace annals::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(JwtHeaderTest, HoldsTheAlgorithm) {
  const auto header = read_jwt_header(R"({"typ":"JWT","alg":"HS256","kid":"1","x":{"alg":"no"}})");
  ASSERT_TRUE(header);
  EXPECT_EQ(header->algorithm, "HS256");
  EXPECT_FALSE(header->critical);
  EXPECT_TRUE(read_jwt_header(R"({"alg":"HS256","crit":[]})")->critical);
  EXPECT_EQ(read_jwt_header("{}")->algorithm, "");
  for (const char* text : {"", "[]", R"({"alg":1})", R"({"alg":"HS256"} x)", R"({"alg":"HS256")",
                           R"({"alg":"HS256","alg":"none"})", "\"HS256\""}) {
    const auto bad = read_jwt_header(text);
    ASSERT_FALSE(bad) << text;
    EXPECT_EQ(bad.error().code, ErrorCode::not_authenticated);
  }
}

TEST(JwtClaimsTest, AreRead) {
  const auto claims = read_jwt_claims(
      R"({"sub":"alex","exp":1300819380,"nbf":1300819380.5,"iss":"joe","aud":["a","b"],"iat":"x",
          "more":{"exp":1},"annals":{"append":["query.*","order.paid"],"read":["own","space=x"]}})",
      "annals");
  ASSERT_TRUE(claims) << claims.error().detail;
  EXPECT_EQ(claims->subject, "alex");
  EXPECT_EQ(claims->expires, Timestamp{std::chrono::seconds{1'300'819'380}});
  EXPECT_EQ(claims->begins, Timestamp{std::chrono::milliseconds{1'300'819'380'500}});
  EXPECT_EQ(claims->issuer, "joe");
  EXPECT_THAT(claims->audience, ElementsAre("a", "b"));
  ASSERT_TRUE(claims->grants);
  EXPECT_EQ(claims->grants->append, (AllowedTypes{"order.paid", "query.*"}));
  EXPECT_EQ(claims->grants->read, (ReadGrants{ReadGrant::own(), *parse_read_grant("space=x")}));
}

TEST(JwtClaimsTest, AreAbsentWhenTheyAre) {
  const auto claims = read_jwt_claims(R"({"annals":{"read":["all"]}})", "elsewhere");
  ASSERT_TRUE(claims);
  EXPECT_EQ(claims->subject, "");
  EXPECT_FALSE(claims->expires || claims->begins || claims->issuer || claims->grants);
  EXPECT_THAT(read_jwt_claims(R"({"aud":"one"})", "annals")->audience, ElementsAre("one"));
  const auto nothing = read_jwt_claims(R"({"annals":{}})", "annals");
  ASSERT_TRUE(nothing && nothing->grants);
  EXPECT_TRUE(nothing->grants->append.empty() && nothing->grants->read.empty());
}

TEST(JwtClaimsTest, OfWrongShapeAreRefusedWithoutAWordOfThem) {
  std::string many = R"({"annals":{"read":[)";
  for (std::size_t i = 0; i <= max_read_grants; ++i)
    many += "\"space=secret" + std::to_string(i) + "\",";
  many.back() = ']';
  many += "}}";
  for (const std::string& text : {std::string{},
                                  std::string{"[]"},
                                  std::string{R"("secret")"},
                                  std::string{R"({"sub":7})"},
                                  std::string{R"({"sub":["secret"]})"},
                                  std::string{R"({"exp":"1300819380"})"},
                                  std::string{R"({"exp":-1})"},
                                  std::string{R"({"exp":1e400})"},
                                  std::string{R"({"exp":253402300800})"},
                                  std::string{R"({"exp":null})"},
                                  std::string{R"({"nbf":"secret"})"},
                                  std::string{R"({"iss":{}})"},
                                  std::string{R"({"aud":7})"},
                                  std::string{R"({"aud":["secret",7]})"},
                                  std::string{R"({"aud":["secret"})"},
                                  std::string{R"({"annals":["secret"]})"},
                                  std::string{R"({"annals":null})"},
                                  std::string{R"({"annals":{"secret":[]}})"},
                                  std::string{R"({"annals":{"read":"own"}})"},
                                  std::string{R"({"annals":{"read":["secret"]}})"},
                                  std::string{R"({"annals":{"read":[["own"]]}})"},
                                  std::string{R"({"annals":{"append":["sec*ret"]}})"},
                                  std::string{R"({"annals":{"append":["access.*"]}})"},
                                  std::string{R"({"annals":{"append":[""]}})"},
                                  std::string{R"({"annals":{"append":{}}})"},
                                  std::string{R"({"annals":{"read":["own"]})"},
                                  std::string{R"({"sub":"secret","sub":"other"})"},
                                  std::string{R"({"sub":"secret"} {})"},
                                  many}) {
    const auto claims = read_jwt_claims(text, "annals");
    ASSERT_FALSE(claims) << text;
    EXPECT_EQ(claims.error().code, ErrorCode::not_authenticated);
    EXPECT_THAT(claims.error().detail, Not(HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace annals::server
