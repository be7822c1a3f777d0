// Several processes, each with its own caches, write to one SQLite file at the same time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "annals/open.hpp"
#include "testing/append_recorder.hpp"
#include "testing/log_comparison.hpp"
#include "testing/process.hpp"
#include "testing/seed.hpp"
#include "testing/stored_events.hpp"
#include "testing/temp_dir.hpp"

namespace annals::test {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;

constexpr auto patience = 100s;

/// What each process does.
struct Work {
  int processes = 4;
  int threads = 4;
  int steps = 25;
  int streams = 1;
  bool mixed = false;
};

class Processes : public testing::Test {
 protected:
  /// Runs writers at the same time, each with its log open before the first of them writes.
  void run_writers(const Work& work) {
    std::vector<std::unique_ptr<Process>> writers;
    for (int i = 0; i < work.processes; ++i) {
      writers.push_back(std::make_unique<Process>(ProcessOptions{
          .command = {std::getenv("ANNALS_CRASH_WRITER"), "store=" + url_,
                      "journal=" + journal_of(i), "seed=" + std::to_string(seed() % 100'000 + i),
                      "threads=" + std::to_string(work.threads),
                      "steps=" + std::to_string(work.steps),
                      "streams=" + std::to_string(work.streams),
                      std::string("mixed=") + (work.mixed ? "1" : "0")}}));
      ASSERT_EQ(writers.back()->wait_for_line("ready", patience), "ready")
          << writers.back()->output(Process::Stream::err);
    }
    for (auto& writer : writers)
      writer->write("go\n");
    for (int i = 0; i < work.processes; ++i) {
      EXPECT_EQ(writers[i]->wait(patience), (ExitStatus{0, std::nullopt}))
          << writers[i]->output(Process::Stream::err);
      ASSERT_TRUE(load_journal(journal_of(i), journal_));
    }
  }

  /// The log is exactly what the writers were told, and verifies. Returns its head.
  std::uint64_t check(LogComparison::Counts& counts) {
    log_ = std::move(open(url_).value());
    LogComparison comparison;
    EXPECT_TRUE(add_stored(*log_, comparison));
    counts = comparison.check(journal_);
    EXPECT_THAT(comparison.problems(), IsEmpty());
    const auto report = log_->verify({.expect = last_receipt(journal_)});
    EXPECT_TRUE(report.value().clean());
    return comparison.head();
  }

  std::string journal_of(int process) const {
    return (dir_ / ("journal-" + std::to_string(process))).string();
  }

  TempDir dir_;
  std::string url_ = "sqlite:" + (dir_ / "log.db").string();
  Journal journal_;
  std::unique_ptr<EventLog> log_;
};

TEST_F(Processes, AppendToOneStreamInOneLinearChain) {
  run_writers({.processes = 4, .threads = 4, .steps = 50});
  LogComparison::Counts counts;
  EXPECT_EQ(check(counts), 800U);
  EXPECT_EQ(counts.accepted, 800U);
  EXPECT_EQ(log_->stream("stream-0").value().version, 800U);
}

TEST_F(Processes, MakeOneGenesisTogether) {
  run_writers({.processes = 4, .threads = 16, .steps = 1});
  LogComparison::Counts counts;
  EXPECT_EQ(check(counts), 64U);
  const auto page = log_->read_stream("stream-0", {.limit = 100, .verify = true});
  ASSERT_EQ(page.value().records.size(), 64U);
  EXPECT_THAT(page->breaks, IsEmpty());
  for (const auto& record : page->records) {
    EXPECT_EQ(record.prev_hash.has_value(), record.header.stream_seq != 1U);
  }
}

TEST_F(Processes, DoEverythingAtOnce) {
  run_writers({.processes = 3, .threads = 8, .steps = 40, .streams = 5, .mixed = true});
  LogComparison::Counts counts;
  EXPECT_GT(check(counts), 0U);
  EXPECT_EQ(counts.unanswered, 0U);
}

}  // namespace
}  // namespace annals::test
