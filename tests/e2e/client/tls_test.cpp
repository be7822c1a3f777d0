#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "testing/process.hpp"
#include "testing/temp_dir.hpp"
#include "tests/e2e/client/client_fixture.hpp"

namespace annals::test {
namespace {

using ::testing::HasSubstr;

/// A certificate that signs itself, for one address or name.
void make_certificate(const std::filesystem::path& folder, const std::string& name,
                      const std::string& subject) {
  const auto made =
      run({.command = {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                       "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                       "/CN=example.com", "-addext", "subjectAltName=" + subject, "-keyout",
                       folder / (name + ".key"), "-out", folder / (name + ".pem")}});
  ASSERT_EQ(made.status.code, 0) << made.err;
}

class ClientTls : public testing::Test {
 protected:
  ClientTls() {
    make_certificate(folder_.path(), "server", "IP:127.0.0.1,DNS:localhost");
    make_certificate(folder_.path(), "other", "IP:127.0.0.1");
    make_certificate(folder_.path(), "elsewhere", "DNS:example.com");
  }

  server::ServerOptions certified(const std::string& name) const {
    server::ServerOptions options;
    options.tls_cert = folder_ / (name + ".pem");
    options.tls_key = folder_ / (name + ".key");
    return options;
  }

  ClientOptions secure(const RunningServer& server, const std::string& trusted,
                       const std::string& host = "127.0.0.1") const {
    ClientOptions options;
    options.url = "https://" + host + ":" + std::to_string(server.port());
    if (!trusted.empty()) options.ca_file = folder_ / (trusted + ".pem");
    return options;
  }

  TempDir folder_;
};

TEST_F(ClientTls, ATrustedServerIsUsedForEverything) {
  RunningServer server(Backend::sqlite, certified("server"));
  Client client = connect(secure(server, "server"));
  ASSERT_TRUE(client.append(event_of("a.b", "s")));
  EXPECT_EQ(client.read({})->events.size(), 1U);
  EXPECT_TRUE(connect(secure(server, "server", "localhost")).info());

  const auto stream = client.append_stream();
  ASSERT_TRUE(stream) << stream.error().detail;
  std::uint64_t last = 0;
  for (int i = 0; i < 5000; ++i) {
    (*stream)->append(event_of("a.b"), [&last](const Result<AppendResult>& result) {
      last = result ? result->events[0].seq : 0;
    });
  }
  ASSERT_TRUE((*stream)->finish());
  EXPECT_EQ(last, 5001U);

  Follower follower = client.follow({.after = 0});
  EXPECT_EQ(next_seqs(follower, 5001).back(), 5001U);
  ASSERT_TRUE(client.append(event_of("a.b")));
  EXPECT_EQ(next_of<Envelope>(follower).seq, 5002U);
}

TEST_F(ClientTls, ACertificateThatIsNotTrustedEndsIt) {
  RunningServer server(Backend::memory, certified("server"));
  for (const std::string trusted : {"", "other"}) {
    Client client = connect(secure(server, trusted));
    const auto info = client.info();
    ASSERT_FALSE(info);
    EXPECT_EQ(info.error().code, ErrorCode::invalid_request);
    EXPECT_THAT(info.error().detail, HasSubstr("is not trusted"));
    EXPECT_EQ(client.append(event_of("a.b")).error().code, ErrorCode::invalid_request);
    Follower follower = client.follow({});
    EXPECT_EQ(end_of(follower).code, ErrorCode::invalid_request) << "waiting would not help";
  }
}

TEST_F(ClientTls, ACertificateOfAnotherHostEndsIt) {
  RunningServer server(Backend::memory, certified("elsewhere"));
  const auto info = connect(secure(server, "elsewhere")).info();
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().code, ErrorCode::invalid_request);
  EXPECT_THAT(info.error().detail, HasSubstr("mismatch"));
}

TEST_F(ClientTls, PlainAndTlsDoNotMix) {
  RunningServer plain(Backend::memory);
  EXPECT_EQ(connect(secure(plain, "server")).info().error().code, ErrorCode::store_unavailable);
  RunningServer server(Backend::memory, certified("server"));
  EXPECT_FALSE(connect(client_options(server.port())).info());
}

}  // namespace
}  // namespace annals::test
