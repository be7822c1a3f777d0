// `kill -9` at random moments of a server with 32 clients. A client sends what was not answered
// again, with the same ids, until the next server answers it: afterwards every request has exactly
// one result.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "annals/open.hpp"
#include "testing/append_recorder.hpp"
#include "testing/log_comparison.hpp"
#include "testing/process.hpp"
#include "testing/random.hpp"
#include "testing/seed.hpp"
#include "testing/server_process.hpp"
#include "testing/stored_events.hpp"
#include "testing/tcp_gate.hpp"
#include "testing/temp_dir.hpp"
#include "tests/crash/http_writer.hpp"
#include "tests/crash/rounds.hpp"

namespace annals::test {
namespace {

constexpr int writers = 32;

class KillServer : public testing::Test {
 protected:
  /// Writes through the gate until told to stop.
  void start_writers(std::uint16_t port) {
    for (int i = 0; i < writers; ++i) {
      threads_.emplace_back([this, port, i] {
        try {
          HttpWriter writer(port, recorder_, restarts_, seed() + static_cast<std::uint64_t>(i));
          while (!stopping_) {
            writer.append();
            ++answered_;
          }
          repeated_ += writer.repeated();
        } catch (const std::exception& error) {
          ADD_FAILURE() << error.what();
        }
      });
    }
  }

  TempDir dir_;
  std::filesystem::path store_ = dir_ / "log.db";
  std::filesystem::path journal_ = dir_ / "journal";
  AppendRecorder recorder_{journal_};
  Random random_{seed()};
  std::atomic<bool> stopping_ = false;
  Restarts restarts_;
  std::atomic<std::uint64_t> answered_ = 0;
  std::atomic<std::uint64_t> repeated_ = 0;
  std::vector<std::jthread> threads_;
};

TEST_F(KillServer, EveryRequestHasExactlyOneResult) {
  const int rounds = crash_rounds();
  auto server = std::make_unique<ServerProcess>(store_);
  TcpGate gate(server->port());
  start_writers(gate.port());
  for (int round = 1; round <= rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    EXPECT_EQ(server->process().wait(std::chrono::microseconds{random_.below(200'000)}),
              std::nullopt)
        << server->process().output(Process::Stream::err);
    EXPECT_EQ(server->process().kill(), (ExitStatus{std::nullopt, SIGKILL}));
    gate.cut();
    server = std::make_unique<ServerProcess>(store_);
    gate.target(server->port());
    restarts_.announce();
  }
  stopping_ = true;
  threads_.clear();
  server->process().kill();

  Journal journal;
  ASSERT_TRUE(load_journal(journal_, journal));
  auto log = open("sqlite:" + store_.string());
  ASSERT_TRUE(log) << log.error().detail;
  LogComparison comparison;
  ASSERT_TRUE(add_stored(**log, comparison));
  const auto counts = comparison.check(journal);
  EXPECT_THAT(comparison.problems(), testing::IsEmpty());
  EXPECT_EQ(counts.unanswered, 0U);
  EXPECT_EQ(counts.accepted, comparison.head());
  const auto report = (*log)->verify({.expect = last_receipt(journal)});
  ASSERT_TRUE(report) << report.error().detail;
  EXPECT_TRUE(report->clean());
  std::cout << "[  counts  ] " << rounds << " kills, " << answered_ << " requests answered, "
            << repeated_ << " sent again, " << comparison.head() << " events stored\n";
  EXPECT_GT(repeated_, 0U);
}

}  // namespace
}  // namespace annals::test
