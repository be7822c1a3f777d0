#include "testing/tcp_gate.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "testing/fd.hpp"
#include "testing/gate_link.hpp"
#include "testing/loopback.hpp"

namespace annals::test {

/// The gate's thread and everything it owns. Other threads only post commands and read counters.
class TcpGate::Loop {
 public:
  explicit Loop(std::uint16_t target_port)
      : target_(target_port),
        wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (!wake_) throw std::system_error(errno, std::generic_category(), "eventfd");
    listener_ = reserve_port(port_);
    listen_on(listener_);
    thread_ = std::thread([this] { run(); });
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  ~Loop() {
    command([this] { stopping_ = true; });
    thread_.join();
  }

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

  /// Runs `action` on the gate's thread and waits for it.
  void command(std::function<void()> action) {
    std::unique_lock lock(mutex_);
    pending_.push_back(std::move(action));
    const auto mine = posted_ += 1;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
    changed_.wait(lock, [&] { return done_ >= mine; });
  }

  [[nodiscard]] std::size_t cuts() const {
    const std::lock_guard lock(mutex_);
    return cuts_;
  }

  bool wait_for_cuts(std::size_t count, std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, timeout, [&] { return cuts_ >= count; });
  }

  // On the gate's thread only.

  void set_target(std::uint16_t port) { target_ = port; }

  void set_flow(Flow flow) {
    flow_ = flow;
    if (refusing_) listen_on(listener_);
    refusing_ = false;
  }

  void refuse() {
    // Not listening any more, but still bound: nobody else can get the port.
    ::shutdown(listener_.get(), SHUT_RD);
    refusing_ = true;
  }

  void cut() {
    for (auto& link : links_)
      link.reset();
  }

  void cut_after(GateSide sender, std::size_t bytes) { fuse_ = Fuse{sender, bytes}; }

  void half_open(GateSide gone) {
    for (auto& link : links_)
      link.vanish(gone);
  }

  [[nodiscard]] std::size_t open_links() const { return links_.size(); }

  [[nodiscard]] std::uint64_t passed(GateSide sender) const {
    return passed_[static_cast<std::size_t>(sender)];
  }

 private:
  void run() {
    while (!stopping_) {
      std::vector<pollfd> watched{{wake_.get(), POLLIN, 0},
                                  {refusing_ ? -1 : listener_.get(), POLLIN, 0}};
      for (auto& link : links_) {
        for (const auto side : {GateSide::client, GateSide::server}) {
          watched.push_back(link.interest(side, flow_));
        }
      }
      const int timeout = flow_.bytes_per_second ? slow_step_ms : -1;
      ::poll(watched.data(), watched.size(), timeout);
      move_bytes(watched);
      if (watched[1].revents != 0) accept();
      std::erase_if(links_, [](const GateLink& link) { return link.closed(); });
      if (watched[0].revents != 0) run_commands();
    }
  }

  void move_bytes(const std::vector<pollfd>& watched) {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      for (const auto side : {GateSide::client, GateSide::server}) {
        const auto& found = watched[2 + 2 * i + static_cast<std::size_t>(side)];
        if (found.revents == 0) continue;
        auto& sent = passed_[static_cast<std::size_t>(side)];
        if (links_[i].advance(side, found.revents, flow_, fuse_, sent)) continue;
        fuse_.reset();
        cut();
        const std::lock_guard lock(mutex_);
        ++cuts_;
        changed_.notify_all();
        return;
      }
    }
  }

  void accept() {
    Fd client = accept_from(listener_);
    if (!client) return;
    Fd server = connect_to(target_);
    if (server) {
      links_.emplace_back(std::move(client), std::move(server));
    } else {
      reset_connection(client);
    }
  }

  void run_commands() {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = ::read(wake_.get(), &count, sizeof count);
    const std::lock_guard lock(mutex_);
    for (auto& action : pending_)
      action();
    done_ += pending_.size();
    pending_.clear();
    changed_.notify_all();
  }

  static constexpr int slow_step_ms = 5;

  // On the gate's thread only.
  std::uint16_t target_;
  std::uint16_t port_ = 0;  // constant after construction
  Fd wake_;
  Fd listener_;
  Flow flow_;
  std::optional<Fuse> fuse_;
  std::vector<GateLink> links_;
  std::uint64_t passed_[2] = {0, 0};
  bool refusing_ = false;
  bool stopping_ = false;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> pending_;  // guarded by mutex_
  std::uint64_t posted_ = 0;                    // guarded by mutex_
  std::uint64_t done_ = 0;                      // guarded by mutex_
  std::size_t cuts_ = 0;                        // guarded by mutex_

  std::thread thread_;
};

TcpGate::TcpGate(std::uint16_t target_port) : loop_(std::make_unique<Loop>(target_port)) {}

TcpGate::~TcpGate() = default;

std::uint16_t TcpGate::port() const noexcept {
  return loop_->port();
}

void TcpGate::target(std::uint16_t target_port) {
  loop_->command([&] { loop_->set_target(target_port); });
}

void TcpGate::pass() {
  loop_->command([&] { loop_->set_flow({}); });
}

void TcpGate::refuse() {
  loop_->command([&] { loop_->refuse(); });
}

void TcpGate::stall() {
  loop_->command([&] { loop_->set_flow({.stalled = true}); });
}

void TcpGate::slow(std::size_t bytes_per_second) {
  loop_->command([&] { loop_->set_flow({.bytes_per_second = bytes_per_second}); });
}

void TcpGate::cut() {
  loop_->command([&] { loop_->cut(); });
}

void TcpGate::cut_after(GateSide sender, std::size_t bytes) {
  loop_->command([&] { loop_->cut_after(sender, bytes); });
}

void TcpGate::half_open(GateSide gone) {
  loop_->command([&] { loop_->half_open(gone); });
}

std::size_t TcpGate::cuts() const {
  return loop_->cuts();
}

bool TcpGate::wait_for_cuts(std::size_t count, std::chrono::milliseconds timeout) const {
  return loop_->wait_for_cuts(count, timeout);
}

std::size_t TcpGate::connections() const {
  std::size_t count = 0;
  loop_->command([&] { count = loop_->open_links(); });
  return count;
}

std::uint64_t TcpGate::passed(GateSide sender) const {
  std::uint64_t bytes = 0;
  loop_->command([&] { bytes = loop_->passed(sender); });
  return bytes;
}

}  // namespace annals::test
