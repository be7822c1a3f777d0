#include "testing/process.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <system_error>

#include "testing/temp_dir.hpp"

namespace annals::test {
namespace {

using namespace std::chrono_literals;
using Stream = Process::Stream;

constexpr auto patience = 20s;

ProcessOptions shell(std::string script) {
  return {.command = {"sh", "-c", std::move(script)}};
}

TEST(Process, ReportsTheExitCodeAndBothStreams) {
  const auto done = run(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(done.status, (ExitStatus{3, std::nullopt}));
  EXPECT_EQ(done.out, "out\n");
  EXPECT_EQ(done.err, "err\n");
}

TEST(Process, ReportsTheSignal) {
  const auto done = run(shell("kill -TERM $$"));
  EXPECT_EQ(done.status, (ExitStatus{std::nullopt, SIGTERM}));
}

TEST(Process, PassesInputLargerThanAPipe) {
  const std::string input(1'000'000, 'x');
  const auto done = run({.command = {"cat"}}, input);
  EXPECT_EQ(done.out, input);
}

TEST(Process, AMissingProgramThrowsTheReason) {
  try {
    Process process({.command = {"/nonexistent/program"}});
    FAIL() << "started";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
  }
}

TEST(Process, WaitsForLinesInOrder) {
  Process process(shell("echo one; echo two; read word; echo \"three $word\"; printf four"));
  EXPECT_EQ(process.wait_for_line("two", patience), "two");
  // "one" was skipped.
  EXPECT_EQ(process.wait_for_line("one", 0ms), std::nullopt);
  EXPECT_TRUE(process.write("hello\n"));
  EXPECT_EQ(process.wait_for_line("three", patience), "three hello");
  EXPECT_EQ(process.wait_for_line("four", patience), "four");
  EXPECT_EQ(process.wait_for_line("five", patience), std::nullopt);
}

TEST(Process, LinesOfTheErrorStreamAreItsOwn) {
  Process process(shell("echo out; echo err >&2; cat"));
  EXPECT_EQ(process.wait_for_line("err", patience, Stream::err), "err");
  EXPECT_EQ(process.wait_for_line("out", patience), "out");
}

TEST(Process, ADeadlineIsKept) {
  Process process({.command = {"cat"}});
  EXPECT_EQ(process.wait_for_line("never", 1ms), std::nullopt);
  EXPECT_EQ(process.wait(1ms), std::nullopt);
  process.close_input();
  EXPECT_EQ(process.wait(patience), (ExitStatus{0, std::nullopt}));
}

TEST(Process, RunKillsWhatDoesNotEnd) {
  const auto done = run(shell("exec sleep 1000"), {}, 50ms);
  EXPECT_EQ(done.status, (ExitStatus{std::nullopt, SIGKILL}));
}

TEST(Process, KillEndsItAndMayBeRepeated) {
  Process process({.command = {"cat"}});
  EXPECT_EQ(process.kill(), (ExitStatus{std::nullopt, SIGKILL}));
  EXPECT_EQ(process.kill(), (ExitStatus{std::nullopt, SIGKILL}));
  EXPECT_FALSE(process.write("nobody reads"));
}

TEST(Process, APausedProcessAnswersAfterItWasResumed) {
  Process process({.command = {"cat"}});
  process.write("one\n");
  ASSERT_EQ(process.wait_for_line("one", patience), "one");
  process.pause();
  process.write("two\n");
  EXPECT_EQ(process.wait_for_line("two", 50ms), std::nullopt);
  process.resume();
  EXPECT_EQ(process.wait_for_line("two", patience), "two");
}

TEST(Process, TheDestructorLeavesNothingRunning) {
  int pid = 0;
  {
    Process process({.command = {"cat"}});
    pid = process.pid();
    ASSERT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST(Process, AGrandchildThatKeepsThePipesDoesNotDelayTheEnd) {
  const auto start = std::chrono::steady_clock::now();
  Process process(shell("sleep 15 & echo started; exit 5"));
  EXPECT_EQ(process.wait(patience), (ExitStatus{5, std::nullopt}));
  EXPECT_EQ(process.output(), "started\n");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 15s);
}

TEST(Process, DirectoryAndEnvironmentAreGiven) {
  const TempDir dir;
  ProcessOptions options = shell("pwd -P; echo $ANNALS_PROCESS_TEST; echo ${HOME:+has home}");
  options.directory = std::filesystem::canonical(dir.path());
  options.environment = {{"ANNALS_PROCESS_TEST", "a value"}, {"HOME", "/"}};
  EXPECT_EQ(run(options).out,
            std::filesystem::canonical(dir.path()).string() + "\na value\nhas home\n");
}

TEST(Process, LimitsHold) {
  const TempDir dir;
  ProcessOptions options{.command = {"dd", "if=/dev/zero", "of=file", "bs=1000", "count=100"}};
  options.directory = dir.path();
  options.max_file_bytes = 5000;
  EXPECT_NE(run(options).status, (ExitStatus{0, std::nullopt}));
  EXPECT_EQ(std::filesystem::file_size(dir / "file"), 5000U);

  ProcessOptions files = shell("ulimit -n");
  files.max_open_files = 77;
  EXPECT_EQ(run(files).out, "77\n");

  ProcessOptions memory = shell("ulimit -v");
  memory.max_memory_bytes = 512 * 1024 * 1024;
  EXPECT_EQ(run(memory).out, "524288\n");
}

}  // namespace
}  // namespace annals::test
