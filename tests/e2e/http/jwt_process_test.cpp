// JSON Web Tokens at the program itself, beside another process on the same file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "annals/open.hpp"
#include "testing/http_client.hpp"
#include "testing/server_process.hpp"
#include "testing/temp_dir.hpp"
#include "testing/token_mint.hpp"

namespace annals::test {
namespace {

using std::chrono::seconds;

class TokenProcess : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path store() const { return folder_ / "log.db"; }

  [[nodiscard]] std::vector<std::string> settings() const {
    return {"--set", "jwt.algorithm=EdDSA",
            "--set", "jwt.key_file=" + mint_.key_file().string(),
            "--set", "jwt.issuer=https://issuer.example"};
  }

  /// The head of a request with a token for `subject`.
  [[nodiscard]] HttpClient::Fields fields(const std::string& subject) const {
    const auto end = std::chrono::system_clock::now().time_since_epoch() + std::chrono::hours{1};
    const auto exp = std::chrono::duration_cast<seconds>(end).count();
    return {{"Authorization",
             "Bearer " + mint_.token(R"({"sub":")" + subject + R"(","exp":)" + std::to_string(exp) +
                                     R"(,"iss":"https://issuer.example")" +
                                     R"(,"annals":{"append":["test.*"],"read":["own"]}})")},
            {"Content-Type", "application/json"}};
  }

  const TempDir folder_;
  const TokenMint mint_{TokenMint::Algorithm::eddsa};
};

TEST_F(TokenProcess, TheKeyOfASubjectIsTheSameForEveryProcess) {
  const ServerProcess server(store(), settings());
  HttpClient client(server.port());
  EXPECT_EQ(client.request("GET", "/v1/log").status, 401) << "no open mode";
  EXPECT_EQ(
      client
          .request("GET", "/v1/log", {{"Authorization", "Bearer " + mint_.token_for("alex", "{}")}})
          .status,
      401)
      << "without the issuer";
  EXPECT_EQ(client.request("POST", "/v1/events", fields("alex"), R"({"type":"test.made"})").status,
            201);

  auto log = open("sqlite:" + store().string(), {});
  ASSERT_TRUE(log) << log.error().detail;
  const auto admitted = (*log)->admit_subject((*log)->local_admin(), "alex", {"test.*"});
  ASSERT_TRUE(admitted) << admitted.error().detail;
  EXPECT_EQ(admitted->key.key_id, (*log)->find(2)->header.key_id);
  EXPECT_EQ((*log)->keys()->size(), 1U);

  // And the other way round: a key that this process makes is the one that the server uses.
  const auto sam = (*log)->admit_subject((*log)->local_admin(), "sam", {"test.*"});
  ASSERT_TRUE(sam);
  EXPECT_EQ(client.request("POST", "/v1/events", fields("sam"), R"({"type":"test.made"})").status,
            201);
  EXPECT_EQ((*log)->find(4)->header.key_id, sam->key.key_id);

  SseClient stream(server.port(), "/v1/events/stream", fields("alex"));
  EXPECT_EQ(stream.next_frame()->event, "caught_up");
  ASSERT_TRUE((*log)->revoke_key((*log)->local_admin(), "jwt:alex"));
  const auto revoked = std::chrono::steady_clock::now();
  EXPECT_EQ(stream.next_frame()->event, "revoked");
  EXPECT_FALSE(stream.next_frame());
  EXPECT_LT(std::chrono::steady_clock::now() - revoked, seconds{1});
  EXPECT_EQ(client.request("GET", "/v1/log", fields("alex")).status, 401);
}

TEST_F(TokenProcess, DoesNotStartWithAKeyThatIsNone) {
  auto bad = settings();
  bad[1] = "jwt.algorithm=HS256";
  bad[3] = "jwt.key_file=" + (folder_ / "missing").string();
  Process server(serve_command(store(), bad));
  const auto status = server.wait(seconds{60});
  ASSERT_TRUE(status);
  EXPECT_NE(status->code, 0);
  EXPECT_THAT(server.output(Process::Stream::err), ::testing::HasSubstr("missing"));
}

}  // namespace
}  // namespace annals::test
