// `kill -9` at random moments of a program with 32 threads that write to one SQLite file. After
// each kill the log is opened again and compared with what the program had been answered; the next
// program goes on in the same file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "annals/open.hpp"
#include "testing/append_recorder.hpp"
#include "testing/log_comparison.hpp"
#include "testing/process.hpp"
#include "testing/random.hpp"
#include "testing/seed.hpp"
#include "testing/stored_events.hpp"
#include "testing/temp_dir.hpp"
#include "tests/crash/rounds.hpp"

namespace annals::test {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;

constexpr auto patience = 60s;
constexpr int rounds_per_full_verify = 25;

class KillWriter : public testing::Test {
 protected:
  /// Starts a writer and kills it. Most kills hit it at work, some while it opens the log, where it
  /// cleans up after the kill before.
  void write_and_kill(int round) {
    Process writer({.command = {std::getenv("ANNALS_CRASH_WRITER"), "store=" + url_,
                                "journal=" + journal_of(round),
                                "seed=" + std::to_string(seed() % 1'000'000 + round)}});
    if (random_.chance(15)) {
      ASSERT_TRUE(writer.write("go\n"));
      EXPECT_EQ(writer.wait(std::chrono::microseconds{random_.below(30'000)}), std::nullopt);
    } else {
      ASSERT_EQ(writer.wait_for_line("ready", patience), "ready")
          << writer.output(Process::Stream::err);
      ASSERT_TRUE(writer.write("go\n"));
      EXPECT_EQ(writer.wait(std::chrono::microseconds{random_.below(250'000)}), std::nullopt)
          << writer.output(Process::Stream::err);
    }
    // A writer that met a fault has said so, and one that crashed has ended by itself.
    EXPECT_EQ(writer.kill(), (ExitStatus{std::nullopt, SIGKILL}));
    EXPECT_EQ(writer.output(Process::Stream::err), "");
  }

  /// Opens the log as the next program would and checks what this round has done.
  void check(int round, LogComparison& comparison) {
    auto log = open(url_);
    ASSERT_TRUE(log) << log.error().detail;
    const std::uint64_t before = comparison.head();
    const auto added = add_stored(**log, comparison);
    ASSERT_TRUE(added) << added.error().detail;
    Journal journal;
    if (std::filesystem::exists(journal_of(round))) {
      ASSERT_TRUE(load_journal(journal_of(round), journal));
    }
    const auto counts = comparison.check(journal);
    ASSERT_THAT(comparison.problems(), IsEmpty());
    accepted_ += counts.accepted;
    unanswered_ += counts.unanswered;
    unanswered_stored_ += counts.unanswered_stored;

    VerifyOptions options;
    options.from = round % rounds_per_full_verify == 0 ? 0 : before + 1;
    options.expect = last_receipt(journal);
    if (comparison.head() > before) verify(**log, options);
  }

  static void verify(const EventLog& log, const VerifyOptions& options) {
    const auto report = log.verify(options);
    ASSERT_TRUE(report) << report.error().detail;
    for (const auto& finding : report->findings) {
      ADD_FAILURE() << finding.verdict << ' ' << finding.what << ' ' << finding.stream << " seq "
                    << finding.seq << " expected " << finding.expected << " actual "
                    << finding.actual;
    }
    ASSERT_TRUE(report->clean());
  }

  std::string journal_of(int round) const {
    return (dir_ / ("journal-" + std::to_string(round))).string();
  }

  TempDir dir_;
  std::string url_ = "sqlite:" + (dir_ / "log.db").string();
  Random random_{seed()};
  std::size_t accepted_ = 0;
  std::size_t unanswered_ = 0;
  std::size_t unanswered_stored_ = 0;
};

TEST_F(KillWriter, NothingAcknowledgedIsLostAndNothingRefusedIsStored) {
  ASSERT_NE(std::getenv("ANNALS_CRASH_WRITER"), nullptr);
  const int rounds = crash_rounds();
  LogComparison comparison;
  for (int round = 1; round <= rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    write_and_kill(round);
    if (HasFailure()) return;
    check(round, comparison);
    if (HasFailure()) return;
  }

  // Once more from the beginning: later rounds must not have touched what earlier ones wrote.
  LogComparison whole;
  Journal journal;
  for (int round = 1; round <= rounds; ++round) {
    if (std::filesystem::exists(journal_of(round))) load_journal(journal_of(round), journal);
  }
  auto log = open(url_);
  ASSERT_TRUE(log) << log.error().detail;
  ASSERT_TRUE(add_stored(**log, whole));
  whole.check(journal);
  EXPECT_THAT(whole.problems(), IsEmpty());
  EXPECT_EQ(whole.head(), comparison.head());
  verify(**log, {.expect = last_receipt(journal)});
  std::cout << "[  counts  ] " << rounds << " kills, " << whole.head() << " events stored, "
            << accepted_ << " acknowledged, " << unanswered_ << " unanswered of which "
            << unanswered_stored_ << " stored\n";
  EXPECT_GT(accepted_, 0U);
  EXPECT_GT(unanswered_, 0U);
}

}  // namespace
}  // namespace annals::test
