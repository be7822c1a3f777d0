#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "testing/process.hpp"
#include "testing/temp_dir.hpp"
#include "tests/e2e/http/running_server.hpp"

// The server with a certificate, as curl sees it.

namespace annals::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

/// A certificate for 127.0.0.1 that signs itself.
class Certificate {
 public:
  explicit Certificate(const std::filesystem::path& folder)
      : certificate(folder / "cert.pem"),
        key(folder / "key.pem") {
    make();
  }

  /// Replaces both files by new ones.
  void make() const {
    const auto made =
        run({.command = {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                         "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                         "/CN=example.com", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                         key.string(), "-out", certificate.string()}});
    ASSERT_EQ(made.status.code, 0) << made.err;
  }

  std::filesystem::path certificate;
  std::filesystem::path key;
};

/// Everything until the connection ends; a reset is an end too.
std::string received_until_the_end(HttpClient& client) {
  try {
    return client.read_to_end();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

class TlsServer : public testing::TestWithParam<Backend> {
 protected:
  server::ServerOptions options() const {
    server::ServerOptions options;
    options.tls_cert = files_.certificate.string();
    options.tls_key = files_.key.string();
    options.head_timeout = milliseconds{500};
    return options;
  }

  /// curl with the certificate as the only one it trusts.
  std::vector<std::string> curl(const std::string& target, std::vector<std::string> more) const {
    std::vector<std::string> command{"curl", "-sS",      "--max-time",
                                     "60",   "--cacert", trusted_.string()};
    command.insert(command.end(), more.begin(), more.end());
    command.push_back("https://127.0.0.1:" + std::to_string(server_.port()) + target);
    return command;
  }

  Finished call(const std::string& target, std::vector<std::string> more = {}) const {
    return run({.command = curl(target, std::move(more))});
  }

  TempDir folder_;
  Certificate files_{folder_.path()};
  std::filesystem::path trusted_ = files_.certificate;
  RunningServer server_{GetParam(), options()};
};

TEST_P(TlsServer, AppendsAndReadsWithEitherVersion) {
  for (const std::string version : {"1.2", "1.3"}) {
    const auto appended =
        call("/v1/events", {"--tls-max", version, "-H", "Content-Type: application/json", "-d",
                            event_json(), "-w", "\n%{http_code} %{http_version}"});
    ASSERT_EQ(appended.status.code, 0) << appended.err;
    EXPECT_THAT(appended.out, HasSubstr("\n201 1.1"));
  }
  const auto page = call("/v1/events");
  EXPECT_EQ(nlohmann::json::parse(page.out)["head"], 2) << page.out;
}

TEST_P(TlsServer, MovesWhatDoesNotFitAnyBuffer) {
  constexpr int lines = 20'000;
  std::string body;
  for (int i = 0; i < lines; ++i)
    body += event_json() + "\n";
  const auto input = folder_ / "lines.ndjson";
  std::ofstream(input) << body;
  const auto appended = call("/v1/events", {"-H", "Content-Type: application/x-ndjson", "-T",
                                            input.string(), "-X", "POST"});
  ASSERT_EQ(appended.status.code, 0) << appended.err;
  EXPECT_EQ(std::ranges::count(appended.out, '\n'), lines);
  // Slower than the server reads: its writes have to wait for the socket.
  const auto read =
      call("/v1/events?after=0", {"-H", "Accept: application/x-ndjson", "--limit-rate", "8M"});
  ASSERT_EQ(read.status.code, 0) << read.err;
  EXPECT_EQ(std::ranges::count(read.out, '\n'), lines);
  EXPECT_EQ(server_.log().state()->event_seq, static_cast<std::uint64_t>(lines));
}

TEST_P(TlsServer, StreamsLiveEventsAndFreesTheSlotOfWhoLeaves) {
  server_.fill(3000);
  Process follower({.command = curl("/v1/events/stream?after=0", {"-N"})});
  ASSERT_TRUE(follower.wait_for_line("id: 3000", seconds{30}));
  ASSERT_TRUE(follower.wait_for_line("event: caught_up", seconds{30}));
  ASSERT_EQ(
      call("/v1/events", {"-H", "Content-Type: application/json", "-d", event_json()}).status.code,
      0);
  EXPECT_TRUE(follower.wait_for_line("id: 3001", seconds{30}));
  EXPECT_EQ(server_.server().subscribers(), 1U);
  follower.kill();
  while (server_.server().subscribers() != 0)
    std::this_thread::yield();
}

TEST_P(TlsServer, KeysGoOnBeingAskedFor) {
  const auto secret = server_.create_key("alex", {"*"}, {ReadGrant::all()});
  EXPECT_THAT(call("/v1/events", {"-w", "%{http_code}"}).out, HasSubstr("401"));
  EXPECT_THAT(call("/v1/events", {"-H", "X-API-Key: " + secret, "-w", "%{http_code}"}).out,
              HasSubstr("200"));
}

TEST_P(TlsServer, AnswersNobodyWithoutTlsAndDoesNotWaitForEverForAHandshake) {
  for (const std::string_view sent :
       {std::string_view{"GET / HTTP/1.1\r\n\r\n"}, std::string_view{"\x16\x03\x01\x02\x00\x01", 6},
        std::string_view{}}) {
    HttpClient client(server_.port());
    client.send(sent);
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_THAT(received_until_the_end(client), Not(HasSubstr("HTTP")));
    EXPECT_LT(std::chrono::steady_clock::now() - begun, client_patience / 2);
  }
  EXPECT_EQ(call("/healthz").status.code, 0);
}

TEST_P(TlsServer, TakesARenewedCertificateWithoutARestart) {
  ASSERT_EQ(call("/healthz").status.code, 0);
  trusted_ = folder_ / "old.pem";
  std::filesystem::copy_file(files_.certificate, trusted_);
  // What cannot be used leaves the certificate in force, also after the files were looked at.
  std::ofstream(files_.certificate) << "not a certificate";
  for (const auto until = std::chrono::steady_clock::now() + milliseconds{1200};
       std::chrono::steady_clock::now() < until;) {
    ASSERT_EQ(call("/healthz").status.code, 0);
  }
  files_.make();
  constexpr int unknown_issuer = 60;
  const auto deadline = std::chrono::steady_clock::now() + seconds{30};
  while (call("/healthz").status.code != unknown_issuer) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "the old one is still in force";
  }
  trusted_ = files_.certificate;
  EXPECT_EQ(call("/healthz").status.code, 0);
}

INSTANTIATE_TEST_SUITE_P(Backends, TlsServer, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

TEST(TlsOptions, FilesThatCannotBeUsedAreNamed) {
  const TempDir folder;
  const Certificate files(folder.path());
  const auto start = [&](const std::filesystem::path& certificate,
                         const std::filesystem::path& key) -> Error {
    TestLog log(Backend::memory);
    server::ServerOptions options;
    options.listen = "127.0.0.1:0";
    options.tls_cert = certificate.string();
    options.tls_key = key.string();
    server::Server server(*log, options, nullptr, {});
    const auto started = server.start();
    return started ? Error{} : started.error();
  };
  EXPECT_THAT(start(files.certificate, {}).detail, HasSubstr("belong together"));
  EXPECT_THAT(start(folder / "missing.pem", files.key).detail, HasSubstr("missing.pem"));
  EXPECT_THAT(start(files.certificate, files.certificate).detail, HasSubstr("cert.pem"));
}

}  // namespace
}  // namespace annals::test
