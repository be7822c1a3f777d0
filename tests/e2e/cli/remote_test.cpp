#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include "cli_test_case.hpp"
#include "testing/loopback.hpp"
#include "testing/tcp_gate.hpp"

// What only a server has. The cases of a store through a server: CMakeLists.txt.

namespace annals::test {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CliRemote : public CliTestCase {
 protected:
  /// The words with `--server`.
  static Words at(const std::string& url, Words words) {
    words.insert(words.end(), {"--server", url});
    return words;
  }

  void expect_same(const std::string& url, const Words& words) const {
    const auto local = annals(words);
    const auto remote = annals(at(url, words));
    const std::string what = ::testing::PrintToString(words);
    EXPECT_EQ(remote.out, local.out) << what;
    EXPECT_EQ(remote.err, local.err) << what;
    EXPECT_EQ(code_of(remote), code_of(local)) << what;
  }
};

TEST_F(CliRemote, ReadsAreTheSameByteForByte) {
  std::string input;
  for (int i = 1; i <= 2500; ++i) {
    input += R"({"type":")" + std::string(i % 2 == 0 ? "order.paid" : "note.made") +
             R"(","stream":"s/)" + std::to_string(i % 3) + R"(","labels":{"n":")" +
             std::to_string(i) + R"("},"payload":{"n":1.0,"t":"\u00e9\u2028"}})" + "\n";
  }
  out_of({"append"}, input);
  const auto time = json_of({"read", "--after", "1499", "--limit", "1"})[0]["recorded_at"];
  const auto url = serve();
  for (const Words& words : std::vector<Words>{
           {"read"},
           {"read", "--all"},
           {"read", "--after", "2490"},
           {"read", "--after", "0", "--limit", "1001"},
           {"read", "--last", "3"},
           {"read", "--order", "desc", "--limit", "1500"},
           {"read", "--from", time.get<std::string>(), "--limit", "3"},
           {"read", "--from", "latest"},
           {"read", "--type", "order.*", "--label", "n=4"},
           {"read", "--filter", "label.n=7", "--all"},
           {"read", "--stream", "s/1", "--last", "2"},
           {"read", "--after", "2501"},
           {"read", "--after", "2501", "--json"},
           {"read", "--filter", "statuss=x"},
           {"read", "--since", "yesterday"},
           {"read", "--actor", "robot/1"},
           {"tail"},
           {"tail", "-n", "0"},
           {"tail", "--type", "note.made", "-n", "2"},
           {"show", "7"},
           {"show", "7", "--form", "header", "--hashed"},
           {"show", "7", "--form", "meta"},
           {"show", "7", "--form", "payload", "--hashed"},
           {"show", "2501"},
           {"streams"},
           {"streams", "s/1"},
           {"verify", "--stream", "s/1", "--json"},
           {"verify", "--stream", "s/1"},
       }) {
    expect_same(url, words);
  }
}

TEST_F(CliRemote, AnEventOnATerminalIsTheSame) {
  out_of({"append", "--type", "order.paid", "--stream", "s", "--actor", "user/7"});
  out_of({"append", "--type", "order.paid", "--stream", "s", "--label", "a=b"});
  out_of({"append", "--type", "note.made"});
  const auto url = serve();
  for (const std::string words : {"show 1", "show 2", "show 3", "read", "streams"}) {
    const auto local = shell("script -qec 'annals " + words + "' /dev/null");
    const auto remote = shell("script -qec 'annals " + words + " --server " + url + "' /dev/null");
    ASSERT_EQ(code_of(local), 0);
    EXPECT_EQ(remote.out, local.out);
  }
}

TEST_F(CliRemote, FollowsThroughARestartCompleteAndWithoutRepeat) {
  const auto port_of = [](const std::string& url) {
    return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  };
  TcpGate gate(port_of(serve()));
  const std::string url = "http://127.0.0.1:" + std::to_string(gate.port());
  Process tail(command(at(url, {"tail", "-f", "--from", "oldest"})));
  for (int i = 1; i <= 3; ++i)
    out_of(at(url, {"append", "--type", "a.b"}));
  EXPECT_TRUE(tail.wait_for_line("\"seq\":3,", seconds{60}));
  stop_server();
  out_of({"append", "--type", "a.b"});
  gate.target(port_of(serve()));
  out_of(at(url, {"append", "--type", "a.b"}));
  EXPECT_TRUE(tail.wait_for_line("\"seq\":5,", seconds{60}));
  tail.signal(SIGINT);
  const auto status = tail.wait(seconds{60});
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 0);
  EXPECT_EQ(tail.output(), out_of({"read"}));
  EXPECT_THAT(tail.output(Process::Stream::err), IsEmpty());
}

TEST_F(CliRemote, KeysAreTakenFromFileOrEnvironmentAndNeverShown) {
  const auto secret =
      lines_of(out_of({"key", "create", "alex", "--append", "*", "--read", "all"})).at(0);
  write("key", secret + "\n");
  const auto url = serve();
  const auto refused = annals(at(url, {"read"}));
  EXPECT_EQ(code_of(refused), 1);
  EXPECT_THAT(refused.err, HasSubstr("(not_authenticated)"));
  EXPECT_EQ(out_of(at(url, {"append", "--type", "a.b", "--api-key-file", "key"})), "2\n");
  environment["ANNALS_CLIENT_API_KEY"] = secret;
  EXPECT_EQ(out_of(at(url, {"append", "--type", "a.b"})), "3\n");
  EXPECT_THAT(out_of({"config"}), Not(HasSubstr(secret)));
  environment["ANNALS_CLIENT_API_KEY"] = "a wrong one";
  const auto malformed = annals(at(url, {"read"}));
  EXPECT_EQ(code_of(malformed), 2);
  EXPECT_THAT(malformed.err, Not(HasSubstr("a wrong one")));
}

TEST_F(CliRemote, AKeyThatReadsLittleReadsThatOnly) {
  out_of({"append", "--type", "a.b"});
  const auto secret =
      lines_of(out_of({"key", "create", "w", "--append", "c.d", "--read", "own"})).at(0);
  environment["ANNALS_CLIENT_API_KEY"] = secret;
  const auto url = serve();
  out_of(at(url, {"append", "--type", "c.d"}));
  const auto events = json_of(at(url, {"read"}));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0]["seq"], 3);
  EXPECT_EQ(json_of(at(url, {"tail"})).size(), 1U);
  const auto append = annals(at(url, {"append", "--type", "a.b"}));
  EXPECT_EQ(code_of(append), 1);
  EXPECT_THAT(append.err, AllOf(HasSubstr("(not_allowed)"), HasSubstr("allowed types: c.d")));
  const auto lines = annals(at(url, {"append"}), "{\"type\":\"a.b\"}\n{\"type\":\"c.d\"}\n");
  EXPECT_EQ(lines.out, "4\n");
  EXPECT_THAT(lines.err, HasSubstr("line 1: error"));
  EXPECT_THAT(annals(at(url, {"streams"})).err, HasSubstr("(not_allowed)"));
}

TEST_F(CliRemote, WhatIsForAStoreOnlyIsSaidSo) {
  const auto url = serve();
  for (const Words& words :
       std::vector<Words>{{"key", "list"},
                          {"key", "create", "x", "--read", "all"},
                          {"freeze"},
                          {"catalogue", "show"},
                          {"verify"},
                          {"verify", "--from", "1", "--to", "2"},
                          {"verify", "--stream", "s", "--expect", "1:" + std::string(64, 'a')}}) {
    const auto refused = annals(at(url, words));
    EXPECT_EQ(code_of(refused), 2) << ::testing::PrintToString(words);
    EXPECT_THAT(refused.err, HasSubstr("store")) << ::testing::PrintToString(words);
  }
}

TEST_F(CliRemote, AStoreOnTheCommandLineWinsOverAServerOfTheConfiguration) {
  out_of({"append", "--type", "a.b"});
  environment["ANNALS_CLIENT_SERVER"] = "http://127.0.0.1:1";
  EXPECT_EQ(code_of(annals({"read"})), 1);
  EXPECT_EQ(json_of({"read", "--store", "sqlite:annals.db"}).size(), 1U);
  const auto both = annals(at("http://127.0.0.1:1", {"read", "--store", "sqlite:annals.db"}));
  EXPECT_EQ(code_of(both), 2);
  EXPECT_THAT(both.err, HasSubstr("exclude each other"));
}

TEST_F(CliRemote, AServerThatCannotBeReachedIsAnErrorAtOnce) {
  std::uint16_t port = 0;
  const Fd reserved = reserve_port(port);
  const std::string url = "http://127.0.0.1:" + std::to_string(port);
  for (const Words& words : std::vector<Words>{
           {"read"}, {"tail", "-f"}, {"show", "1"}, {"streams"}, {"append", "--type", "a.b"}}) {
    const auto refused = annals(at(url, words));
    EXPECT_EQ(code_of(refused), 1) << ::testing::PrintToString(words);
    EXPECT_THAT(refused.err, HasSubstr("Connection refused"));
  }
  EXPECT_EQ(code_of(annals(at(url, {"append"}), "{\"type\":\"a.b\"}\n")), 1);
  EXPECT_EQ(code_of(annals(at(url, {"verify", "--stream", "s"}))), 4) << "not proven";
  for (const std::string wrong : {"localhost:7420", "http://key@example.com", "http://a:b:c"}) {
    const auto usage = annals(at(wrong, {"read"}));
    EXPECT_EQ(code_of(usage), 2) << wrong;
    EXPECT_THAT(usage.err, Not(HasSubstr("key@")));
  }
}

TEST_F(CliRemote, TlsIsTrustedByItsFile) {
  const auto made = shell(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
      "-subj /CN=example.com -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem");
  ASSERT_EQ(code_of(made), 0) << made.err;
  const auto url = serve({"--set", "server.tls_cert=cert.pem", "--set", "server.tls_key=key.pem"});
  EXPECT_TRUE(url.starts_with("https://")) << url;
  const auto untrusted = annals(at(url, {"read"}));
  EXPECT_EQ(code_of(untrusted), 1);
  EXPECT_THAT(untrusted.err, HasSubstr("is not trusted"));
  EXPECT_EQ(out_of(at(url, {"append", "--type", "a.b", "--ca-file", "cert.pem"})), "1\n");
  EXPECT_EQ(json_of(at(url, {"read", "--ca-file", "cert.pem"})).size(), 1U);
}

}  // namespace
}  // namespace annals::test
