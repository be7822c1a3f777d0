#include "testing/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include "testing/fd.hpp"

namespace annals::test {

namespace {

constexpr std::size_t capture_limit = std::size_t{64} * 1024 * 1024;

struct Pipe {
  Fd read;
  Fd write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  return {Fd(ends[0]), Fd(ends[1])};
}

/// The environment of this process with `added` in it.
std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!added.contains(std::string(text.substr(0, text.find('='))))) out.emplace_back(text);
  }
  for (const auto& [name, value] : added)
    out.push_back(name + "=" + value);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (auto& text : texts)
    out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

bool limit(int resource, const std::optional<std::uint64_t>& bound) {
  if (!bound) return true;
  const rlimit value{*bound, *bound};
  return ::setrlimit(static_cast<__rlimit_resource_t>(resource), &value) == 0;
}

/// What the child does between fork and exec: system calls only, because another thread of the
/// parent may have held any lock.
struct ChildStart {
  const ProcessOptions& options;
  std::array<int, 3> streams;
  int report;
  char* const* arguments;
  char* const* environment;
  pid_t parent;

  [[noreturn]] void run() const {
    const bool ready = prepare();
    if (ready) ::execvpe(arguments[0], arguments, environment);
    const int reason = errno;
    [[maybe_unused]] const auto written = ::write(report, &reason, sizeof reason);
    ::_exit(127);
  }

 private:
  [[nodiscard]] bool prepare() const {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return false;
    if (::getppid() != parent) ::_exit(127);
    for (int i = 0; i < 3; ++i) {
      if (::dup2(streams[static_cast<std::size_t>(i)], i) < 0) return false;
    }
    if (!options.directory.empty() && ::chdir(options.directory.c_str()) != 0) return false;
    ::signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    return limit(RLIMIT_AS, options.max_memory_bytes) &&
           limit(RLIMIT_FSIZE, options.max_file_bytes) &&
           limit(RLIMIT_NOFILE, options.max_open_files);
  }
};

/// Throws what the child reported instead of an exec.
void check_exec(const Fd& report, pid_t pid, const std::string& program) {
  int reason = 0;
  ssize_t got = 0;
  do {
    got = ::read(report.get(), &reason, sizeof reason);
  } while (got < 0 && errno == EINTR);
  if (got == 0) return;
  ::waitpid(pid, nullptr, 0);
  throw std::system_error(reason, std::generic_category(), program);
}

int milliseconds_left(std::chrono::steady_clock::time_point deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

}  // namespace

Process::Process(ProcessOptions options) {
  // A child that ends early must not end the test when it is written to.
  ::signal(SIGPIPE, SIG_IGN);
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  Pipe report = make_pipe();
  auto environment = merged_environment(options.environment);
  const auto environment_pointers = pointers(environment);
  const auto argument_pointers = pointers(options.command);
  const ChildStart child{options,
                         {in.read.get(), out.write.get(), err.write.get()},
                         report.write.get(),
                         argument_pointers.data(),
                         environment_pointers.data(),
                         ::getpid()};
  const pid_t pid = ::fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid == 0) child.run();

  report.write.reset();
  check_exec(report.read, pid, options.command.front());
  pid_ = pid;
  pid_fd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  input_ = in.write.release();
  capture(Stream::out).fd = out.read.release();
  capture(Stream::err).fd = err.read.release();
  collector_ = std::thread([this] { collect(); });
}

Process::~Process() {
  kill();
  close_input();
  collector_.join();
  ::close(pid_fd_);
}

bool Process::write(std::string_view text) {
  const std::lock_guard lock(input_mutex_);
  while (!text.empty()) {
    if (input_ < 0) return false;
    const ssize_t written = ::write(input_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void Process::close_input() {
  const std::lock_guard lock(input_mutex_);
  if (input_ >= 0) ::close(input_);
  input_ = -1;
}

std::optional<std::string> Process::wait_for_line(std::string_view text,
                                                  std::chrono::milliseconds timeout,
                                                  Stream stream) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  std::unique_lock lock(mutex_);
  Capture& from = capture(stream);
  while (true) {
    auto end = from.text.find('\n', from.looked_at);
    // The last line of a stream that has ended needs no line end.
    if (end == std::string::npos && from.fd < 0 && from.looked_at < from.text.size()) {
      end = from.text.size();
    }
    if (end != std::string::npos) {
      std::string line = from.text.substr(from.looked_at, end - from.looked_at);
      from.looked_at = std::min(end + 1, from.text.size());
      if (line.find(text) != std::string::npos) return line;
      continue;
    }
    if (from.fd < 0) return std::nullopt;
    if (changed_.wait_until(lock, deadline) == std::cv_status::timeout) return std::nullopt;
  }
}

std::string Process::output(Stream stream) const {
  const std::lock_guard lock(mutex_);
  return captures_[static_cast<std::size_t>(stream)].text;
}

std::optional<ExitStatus> Process::wait(std::chrono::microseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  std::unique_lock lock(mutex_);
  while (!status_) {
    if (changed_.wait_until(lock, deadline) == std::cv_status::timeout && !status_) {
      return std::nullopt;
    }
  }
  return status_;
}

void Process::signal(int number) {
  const std::lock_guard lock(mutex_);
  // Until it is reaped, which happens under this mutex, the number cannot belong to anybody else.
  if (!status_) ::kill(pid_, number);
}

ExitStatus Process::kill() {
  signal(SIGKILL);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return status_.has_value(); });
  return *status_;
}

void Process::pause() {
  signal(SIGSTOP);
}

void Process::resume() {
  signal(SIGCONT);
}

bool Process::take(Capture& from) {
  std::array<char, 16384> block{};
  const ssize_t got = ::read(from.fd, block.data(), block.size());
  if (got < 0 && errno == EINTR) return true;
  const std::lock_guard lock(mutex_);
  if (got <= 0) {
    ::close(from.fd);
    from.fd = -1;
  } else if (from.text.size() < capture_limit) {
    from.text.append(block.data(), static_cast<std::size_t>(got));
  }
  changed_.notify_all();
  return got > 0;
}

/// Reads both streams until the process has ended and what it wrote is read. A grandchild that
/// holds the pipes open does not delay the end.
void Process::collect() {
  bool ended = false;
  while (true) {
    std::array<pollfd, 3> watched{pollfd{captures_[0].fd, POLLIN, 0},
                                  pollfd{captures_[1].fd, POLLIN, 0},
                                  pollfd{ended ? -1 : pid_fd_, POLLIN, 0}};
    const int ready = ::poll(watched.data(), watched.size(), ended ? 0 : -1);
    if (ready < 0 && errno != EINTR) break;
    if (ready == 0 && ended) break;
    for (std::size_t i = 0; i < 2; ++i) {
      if (watched[i].revents != 0) take(captures_[i]);
    }
    if (watched[2].revents != 0) ended = true;
  }
  for (auto& from : captures_) {
    const std::lock_guard lock(mutex_);
    if (from.fd >= 0) ::close(from.fd);
    from.fd = -1;
  }
  const std::lock_guard lock(mutex_);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
  if (WIFSIGNALED(status)) {
    status_ = ExitStatus{std::nullopt, WTERMSIG(status)};
  } else {
    status_ = ExitStatus{WEXITSTATUS(status), std::nullopt};
  }
  changed_.notify_all();
}

Finished run(ProcessOptions options, std::string_view input, std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  Process process(std::move(options));
  // On a thread of its own: a program that reads nothing must not hold up the deadline.
  std::thread writer([&process, input] {
    process.write(input);
    process.close_input();
  });
  auto status = process.wait(std::chrono::milliseconds{milliseconds_left(deadline)});
  if (!status) status = process.kill();
  writer.join();
  return {*status, process.output(Process::Stream::out), process.output(Process::Stream::err)};
}

}  // namespace annals::test
