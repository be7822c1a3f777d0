#include "server/jwt.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "testing/token_mint.hpp"

namespace annals::server {

namespace {

using std::chrono::seconds;
using test::TokenMint;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Timestamp now{seconds{1'300'000'000}};

class JwtTest : public ::testing::TestWithParam<TokenMint::Algorithm> {
 protected:
  [[nodiscard]] JwtOptions options() const {
    JwtOptions options;
    options.algorithm = mint_.name();
    options.key_file = mint_.key_file();
    return options;
  }

  static Result<JwtIdentity> verify(const JwtOptions& options, const std::string& token) {
    const auto verifier = JwtVerifier::load(options);
    if (!verifier) return std::unexpected(verifier.error());
    return verifier->verify(token, now);
  }

  /// What is said of a token with these claims beside a subject, an end and grants.
  [[nodiscard]] std::string refusal(const JwtOptions& options, std::string_view more) const {
    return refusal_of(options, mint_.token(claims(more)));
  }

  static std::string refusal_of(const JwtOptions& options, const std::string& token) {
    const auto identity = verify(options, token);
    if (identity) return {};
    EXPECT_EQ(identity.error().code, ErrorCode::not_authenticated);
    EXPECT_THAT(identity.error().detail, Not(HasSubstr("alex")));
    return identity.error().detail;
  }

  static std::string claims(std::string_view more = {}) {
    return R"({"sub":"alex","exp":1300000060,"annals":{"append":["query.*"],"read":["own"]})" +
           std::string{more} + "}";
  }

  const TokenMint mint_{GetParam()};
};

TEST_P(JwtTest, SaysWhoPresentsIt) {
  const auto identity = verify(options(), mint_.token(claims()));
  ASSERT_TRUE(identity) << identity.error().detail;
  EXPECT_EQ(identity->subject, "alex");
  EXPECT_EQ(identity->append, AllowedTypes{"query.*"});
  EXPECT_EQ(identity->read, ReadGrants{ReadGrant::own()});
  EXPECT_EQ(identity->expires_at, now + seconds{60});
}

TEST_P(JwtTest, IsRefusedWhenAnyOfItWasTouched) {
  const std::string token = mint_.token(claims());
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string touched = token;
    touched[i] = touched[i] == 'A' ? 'B' : 'A';
    EXPECT_NE(refusal_of(options(), touched), "") << i;
    touched = token;
    touched.erase(i, 1);
    EXPECT_NE(refusal_of(options(), touched), "") << i;
  }
  EXPECT_NE(refusal_of(options(), token + "A"), "");
  EXPECT_NE(refusal_of(options(), token + "="), "");
  EXPECT_NE(refusal_of(options(), token + "."), "");
  EXPECT_NE(refusal_of(options(), ""), "");
  EXPECT_NE(refusal_of(options(), ".."), "");
  EXPECT_NE(refusal_of(options(), token.substr(0, token.rfind('.') + 1)), "");
}

TEST_P(JwtTest, PartsOfTwoTokensAreNoToken) {
  const std::string one = mint_.token(claims());
  const std::string other = mint_.token(claims(R"(,"jti":"2")"));
  EXPECT_NE(refusal_of(options(), one.substr(0, one.rfind('.')) + other.substr(other.rfind('.'))),
            "");
}

TEST_P(JwtTest, OfAnotherKeyOrAlgorithmIsRefused) {
  EXPECT_NE(refusal_of(options(), TokenMint{GetParam()}.token(claims())), "");
  const TokenMint other{GetParam() == TokenMint::Algorithm::hs256 ? TokenMint::Algorithm::eddsa
                                                                  : TokenMint::Algorithm::hs256};
  EXPECT_THAT(refusal_of(options(), other.token(claims())), HasSubstr("algorithm"));
  for (const char* head : {R"({"alg":"none"})", R"({"alg":"None"})", R"({"alg":"HS512"})",
                           R"({"alg":"hs256"})", R"({"alg":"ES256"})", R"({})"}) {
    EXPECT_THAT(refusal_of(options(), mint_.token(head, claims())), HasSubstr("algorithm")) << head;
  }
  EXPECT_NE(refusal_of(options(), test::base64url(R"({"alg":"none"})") + "." +
                                      test::base64url(claims()) + "."),
            "");
}

TEST_P(JwtTest, WithCritIsRefused) {
  const std::string head = R"({"alg":")" + mint_.name() + R"(","crit":["b64"],"b64":true})";
  EXPECT_THAT(refusal_of(options(), mint_.token(head, claims())), HasSubstr("crit"));
}

TEST_P(JwtTest, HoldsFromItsBeginToItsEnd) {
  const auto verifier = JwtVerifier::load(options());
  ASSERT_TRUE(verifier);
  const std::string token = mint_.token(claims(R"(,"nbf":1300000000)"));
  EXPECT_TRUE(verifier->verify(token, now));
  EXPECT_FALSE(verifier->verify(token, now - std::chrono::microseconds{1}));
  EXPECT_TRUE(verifier->verify(token, now + seconds{60} - std::chrono::microseconds{1}));
  EXPECT_FALSE(verifier->verify(token, now + seconds{60}));
}

TEST_P(JwtTest, HoldsForTheLeewayLongerAtBothEnds) {
  JwtOptions lenient = options();
  lenient.leeway = seconds{5};
  const auto verifier = JwtVerifier::load(lenient);
  ASSERT_TRUE(verifier);
  const std::string token = mint_.token(claims(R"(,"nbf":1300000000)"));
  EXPECT_TRUE(verifier->verify(token, now - seconds{5}));
  EXPECT_FALSE(verifier->verify(token, now - seconds{6}));
  EXPECT_EQ(verifier->verify(token, now + seconds{64})->expires_at, now + seconds{65});
  EXPECT_FALSE(verifier->verify(token, now + seconds{65}));
}

TEST_P(JwtTest, IsOfTheIssuerAndForTheAudience) {
  JwtOptions strict = options();
  strict.issuer = "https://issuer.example";
  strict.audience = "annals";
  EXPECT_THAT(refusal(strict, ""), HasSubstr("issuer"));
  EXPECT_THAT(refusal(strict, R"(,"iss":"https://issuer.example")"), HasSubstr("audience"));
  EXPECT_THAT(refusal(strict, R"(,"iss":"https://issuer.example/","aud":"annals")"),
              HasSubstr("issuer"));
  EXPECT_THAT(refusal(strict, R"(,"iss":"https://issuer.example","aud":["x","y"])"),
              HasSubstr("audience"));
  EXPECT_EQ(refusal(strict, R"(,"iss":"https://issuer.example","aud":"annals")"), "");
  EXPECT_EQ(refusal(strict, R"(,"iss":"https://issuer.example","aud":["x","annals"])"), "");
  EXPECT_EQ(refusal(options(), R"(,"iss":"anybody","aud":"anything")"), "");
}

TEST_P(JwtTest, NeedsASubjectAnEndAndGrants) {
  const auto refused = [&](const std::string& claims) {
    return refusal_of(options(), mint_.token(claims));
  };
  EXPECT_THAT(refused(R"({"exp":1300000060,"annals":{}})"), HasSubstr("sub"));
  EXPECT_THAT(refused(R"({"sub":"","exp":1300000060,"annals":{}})"), HasSubstr("sub"));
  EXPECT_THAT(refused(R"({"sub":"a\u0000b","exp":1300000060,"annals":{}})"), HasSubstr("sub"));
  const auto with_subject = [&](std::size_t size) {
    return R"({"sub":")" + std::string(size, 's') + R"(","exp":1300000060,"annals":{}})";
  };
  EXPECT_THAT(refused(with_subject(197)), HasSubstr("sub"));
  EXPECT_EQ(refused(with_subject(196)), "");
  EXPECT_THAT(refused(R"({"sub":"alex","annals":{}})"), HasSubstr("exp"));
  EXPECT_THAT(refused(R"({"sub":"alex","exp":1300000060})"), HasSubstr("grants"));
  JwtOptions other = options();
  other.claim = "https://log.example/grants";
  EXPECT_THAT(refusal(other, ""), HasSubstr("grants"));
  EXPECT_EQ(refusal(other, R"(,"https://log.example/grants":{"read":["own"]})"), "");
}

TEST_P(JwtTest, IsNotTooLong) {
  const std::string filler(max_jwt_bytes, 'x');
  EXPECT_THAT(refusal(options(), R"(,"x":")" + filler + "\""), HasSubstr("8192"));
}

TEST_P(JwtTest, NeedsAKeyOfTheAlgorithm) {
  JwtOptions bad = options();
  bad.algorithm = "none";
  EXPECT_EQ(JwtVerifier::load(bad).error().code, ErrorCode::invalid_request);
  bad.algorithm = "EdDSA";
  bad.key_file = "/nowhere/key.pem";
  const auto missing = JwtVerifier::load(bad);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().detail, HasSubstr("/nowhere/key.pem"));
}

TEST(JwtForm, IsTakenForATokenByItsParts) {
  EXPECT_TRUE(looks_like_jwt("a.b.c"));
  for (const char* text : {"", "a", "a.b", "a.b.c.d", "annals_a.b.c"})
    EXPECT_FALSE(looks_like_jwt(text)) << text;
}

INSTANTIATE_TEST_SUITE_P(Algorithms, JwtTest,
                         ::testing::Values(TokenMint::Algorithm::hs256,
                                           TokenMint::Algorithm::eddsa),
                         [](const auto& tested) {
                           return std::string{
                               tested.param == TokenMint::Algorithm::hs256 ? "HS256" : "EdDSA"};
                         });

}  // namespace
}  // namespace annals::server
