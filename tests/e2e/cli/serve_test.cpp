#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "cli_test_case.hpp"

namespace annals::test {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CliServe : public CliTestCase {
 protected:
  const Words any_port_{"serve", "--listen", "127.0.0.1:0"};
};

TEST_F(CliServe, WhatItPrintsCanBeTyped) {
  Process server(command(any_port_));
  ASSERT_TRUE(server.wait_for_line("Ctrl-C ends the server", seconds(20)))
      << server.output(Process::Stream::err);
  const auto printed = lines_of(server.output());
  std::string follow;
  std::string append;
  for (std::size_t i = 0; i < printed.size(); ++i) {
    if (printed[i].starts_with("  curl -N")) follow = printed[i];
    if (printed[i].starts_with("  curl http")) append = printed[i] + "\n" + printed[i + 1];
  }
  ASSERT_FALSE(follow.empty()) << server.output();
  ASSERT_FALSE(append.empty()) << server.output();

  ProcessOptions follow_options = command({});
  follow_options.command = {"bash", "-c", "exec" + follow};
  Process follower(std::move(follow_options));
  ASSERT_TRUE(follower.wait_for_line("caught_up", seconds(20)));
  const auto appended = shell(append);
  EXPECT_EQ(code_of(appended), 0) << appended.err;
  EXPECT_THAT(appended.out, HasSubstr("\"seq\":1"));
  EXPECT_TRUE(follower.wait_for_line("order.placed", seconds(20)));

  EXPECT_EQ(out_of({"append", "--type", "note.made"}), "2\n") << "beside the server";
  EXPECT_TRUE(follower.wait_for_line("note.made", seconds(20)));

  server.signal(SIGTERM);
  const auto status = server.wait(seconds(30));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 0);
  EXPECT_EQ(code_of(annals({"verify"})), 0);
}

TEST_F(CliServe, ASecondServerOnTheFileRefuses) {
  Process server(command(any_port_));
  ASSERT_TRUE(server.wait_for_line("Ctrl-C ends the server", seconds(20)));
  const auto second = annals(any_port_);
  EXPECT_EQ(code_of(second), 1);
  EXPECT_THAT(second.err,
              AllOf(HasSubstr("another server"), HasSubstr(std::to_string(server.pid()))));
  server.signal(SIGINT);
  const auto status = server.wait(seconds(30));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 0);
  Process third(command(any_port_));
  EXPECT_TRUE(third.wait_for_line("Ctrl-C ends the server", seconds(20)));
}

TEST_F(CliServe, JsonForPrograms) {
  Process server(command({"serve", "--store", "memory:", "--listen", "127.0.0.1:0", "--json",
                          "--set", "log.format=json"}));
  const auto line = server.wait_for_line("listening", seconds(20));
  ASSERT_TRUE(line);
  const auto announced = nlohmann::json::parse(*line);
  EXPECT_EQ(announced["store"], "memory:");
  EXPECT_EQ(announced["open_mode"], true);
  const auto url = announced["listening"].get<std::string>();
  EXPECT_EQ(code_of(shell("curl -sf " + url + "/healthz")), 0);
  const auto logged = server.wait_for_line("/healthz", seconds(20), Process::Stream::err);
  ASSERT_TRUE(logged);
  const auto message = nlohmann::json::parse(*logged);
  EXPECT_EQ(message["level"], "info");
  EXPECT_TRUE(message.contains("time"));
  EXPECT_EQ(message["message"], "request");
  EXPECT_EQ(message["method"], "GET");
  EXPECT_EQ(message["path"], "/healthz");
  EXPECT_EQ(message["status"], 200);
}

TEST_F(CliServe, ALineOfTheLogNamesTheTraceAndNoSecret) {
  const auto key = nlohmann::json::parse(
      out_of({"key", "create", "k", "--append", "*", "--read", "all", "--json"}));
  const auto secret = key["secret"].get<std::string>();
  for (const char* format : {"json", "text"}) {
    Process server(command({"serve", "--listen", "127.0.0.1:0", "--json", "--set",
                            std::string("log.format=") + format}));
    const auto line = server.wait_for_line("listening", seconds(20));
    ASSERT_TRUE(line);
    const auto url = nlohmann::json::parse(*line)["listening"].get<std::string>();
    const std::string traced =
        " -H 'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' ";
    EXPECT_EQ(
        code_of(shell("curl -sf " + url + "/v1/events?cb=in-the-query -H 'X-API-Key: " + secret +
                      "' -H 'Content-Type: application/json'" + traced +
                      "-d '{\"type\":\"note.made\",\"payload\":{\"text\":\"in the payload\"}}'")),
        0);
    const auto logged = server.wait_for_line("0af76519-16cd-43dd-8448-eb211c80319c", seconds(20),
                                             Process::Stream::err);
    ASSERT_TRUE(logged) << server.output(Process::Stream::err);
    EXPECT_THAT(*logged, HasSubstr(key["key_id"].get<std::string>()));
    server.signal(SIGTERM);
    ASSERT_TRUE(server.wait(seconds(30)));
    const auto all = server.output(Process::Stream::err);
    for (const std::string& hidden : {secret, secret.substr(secret.size() - 32),
                                      std::string("in-the-query"), std::string("in the payload")}) {
      EXPECT_THAT(all, Not(HasSubstr(hidden)));
    }
  }
}

TEST_F(CliServe, WithAKeyItSaysSo) {
  out_of({"key", "create", "k", "--read", "all"});
  Process server(command(any_port_));
  EXPECT_TRUE(server.wait_for_line("Keys are asked for", seconds(20)));
  EXPECT_TRUE(server.wait_for_line("X-API-Key: $ANNALS_KEY", seconds(20)));
}

TEST_F(CliServe, OpenModeStaysOnThisMachine) {
  const auto refused = annals({"serve", "--listen", "0.0.0.0:0"});
  EXPECT_EQ(code_of(refused), 1);
  EXPECT_THAT(refused.err, HasSubstr("key"));
}

}  // namespace
}  // namespace annals::test
