#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace annals::test {

/// How a program is started. Plain value.
struct ProcessOptions {
  std::vector<std::string>
      command;                      ///< Program (searched in PATH when it has no slash), arguments.
  std::filesystem::path directory;  ///< Working directory; empty: the test's own.
  std::map<std::string, std::string> environment;  ///< Added to the test's own; wins over it.
  std::optional<std::uint64_t> max_memory_bytes;   ///< Address space (RLIMIT_AS).
  std::optional<std::uint64_t> max_file_bytes;     ///< Largest file it may write (RLIMIT_FSIZE).
  std::optional<std::uint64_t> max_open_files;     ///< RLIMIT_NOFILE.
};

/// How a process ended: exactly one of the two is set.
struct ExitStatus {
  std::optional<int> code;
  std::optional<int> signal;

  friend bool operator==(const ExitStatus&, const ExitStatus&) = default;
};

/// A child process with pipes on its three standard streams. What it prints is collected all the
/// time, so it never blocks on a full pipe. It is killed and reaped by the destructor, and at the
/// latest when the thread that started it ends, so that a test that dies leaves no server behind.
/// Thread-safe, but for the destructor.
class Process {
 public:
  enum class Stream : std::uint8_t { out, err };

  /// Starts the program. Throws std::system_error when it cannot be run, with the reason of exec.
  explicit Process(ProcessOptions options);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  [[nodiscard]] int pid() const noexcept { return pid_; }

  /// Writes all of `text` to its standard input; false when nobody reads it any more. Blocks while
  /// the pipe is full.
  bool write(std::string_view text);

  /// Ends its standard input.
  void close_input();

  /// The next line that contains `text` and was not returned before, without its end; skips the
  /// lines in front of it. `nullopt` when `timeout` passes or the stream ends first.
  std::optional<std::string> wait_for_line(std::string_view text, std::chrono::milliseconds timeout,
                                           Stream stream = Stream::out);

  /// Everything printed so far, up to 64 MiB a stream; what goes beyond is thrown away.
  [[nodiscard]] std::string output(Stream stream = Stream::out) const;

  /// Waits for its end; `nullopt` when `timeout` passes first. After an end, everything it printed
  /// has been collected.
  std::optional<ExitStatus> wait(std::chrono::microseconds timeout);

  /// Sends a signal; nothing happens when it has ended.
  void signal(int number);

  /// SIGKILL, and waits for the end.
  ExitStatus kill();

  /// SIGSTOP: it stands still without noticing, until `resume`.
  void pause();
  void resume();

 private:
  struct Capture {
    int fd = -1;
    std::string text;
    std::size_t looked_at = 0;  ///< Lines before this were returned or skipped.
  };

  void collect();
  bool take(Capture& capture);
  Capture& capture(Stream stream) { return captures_[static_cast<std::size_t>(stream)]; }

  int pid_ = -1;
  int pid_fd_ = -1;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Capture captures_[2];               // guarded by mutex_, but for the descriptors
  std::optional<ExitStatus> status_;  // guarded by mutex_

  std::mutex input_mutex_;
  int input_ = -1;  // guarded by input_mutex_

  std::thread collector_;
};

/// What a program that ran to its end left behind.
struct Finished {
  ExitStatus status;
  std::string out;
  std::string err;
};

/// Runs a program to its end with `input` on its standard input. Kills it when `timeout` passes;
/// then the status says signal 9.
Finished run(ProcessOptions options, std::string_view input = {},
             std::chrono::milliseconds timeout = std::chrono::seconds{60});

}  // namespace annals::test
