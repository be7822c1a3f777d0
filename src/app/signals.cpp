#include "app/signals.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

namespace annals::app {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<bool> arrived{false};
std::array<int, 2> wake_pipe{-1, -1};
static_assert(std::atomic<bool>::is_always_lock_free);

void wake() noexcept {
  const char byte = 1;
  // A full pipe wakes the reader just as well.
  [[maybe_unused]] const auto written = ::write(wake_pipe[1], &byte, 1);
}

void note_signal(int number) {
  // A second wish is not a polite one.
  if (arrived.exchange(true)) {
    std::signal(number, SIG_DFL);
    std::raise(number);
    return;
  }
  const int saved = errno;
  wake();
  errno = saved;
}

}  // namespace

Signals::Signals() {
  // A reader that has gone away is an error of a write, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
}

Signals::~Signals() {
  if (!armed_) return;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

void Signals::arm() {
  if (armed_) return;
  armed_ = ::pipe2(wake_pipe.data(), O_CLOEXEC | O_NONBLOCK) == 0;
  if (!armed_) return;
  struct sigaction action{};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool Signals::requested() const noexcept {
  return arrived.load();
}

void Signals::wait() {
  while (!requested()) {
    pollfd wanted{wake_pipe[0], POLLIN, 0};
    ::poll(&wanted, 1, -1);
  }
}

void Signals::request() noexcept {
  arrived = true;
  wake();
}

}  // namespace annals::app
