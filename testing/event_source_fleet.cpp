#include "testing/event_source_fleet.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "testing/loopback.hpp"

namespace annals::test {

namespace {

/// Connections being made at the same time: no more than any listener has room for.
constexpr std::size_t connecting_at_once = 100;
constexpr std::size_t buffer_bytes = std::size_t{256} * 1024;
constexpr std::uint32_t wake_index = UINT32_MAX;

/// What a browser waits when it was not told.
constexpr std::chrono::milliseconds default_retry{3000};

void watch(const Fd& epoll, const Fd& watched, std::uint32_t index, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u32 = index;
  if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, watched.get(), &event) == 0) return;
  event.data.u32 = index;
  if (::epoll_ctl(epoll.get(), EPOLL_CTL_MOD, watched.get(), &event) != 0) {
    throw std::system_error(errno, std::generic_category(), "epoll_ctl");
  }
}

}  // namespace

EventSourceFleet::EventSourceFleet(std::uint16_t port, FleetOptions options)
    : options_(std::move(options)),
      port_(port),
      clients_(options_.clients),
      buffer_(buffer_bytes),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!epoll_ || !wake_) throw std::system_error(errno, std::generic_category(), "epoll");
  watch(epoll_, wake_, wake_index, EPOLLIN);
  for (Index index = 0; index < clients_.size(); ++index)
    idle_.push_back(index);
  thread_ = std::thread([this] { run(); });
}

EventSourceFleet::~EventSourceFleet() {
  stopping_ = true;
  const std::uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
  thread_.join();
}

bool EventSourceFleet::wait_until(const std::function<bool()>& reached,
                                  std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, timeout, [&] { return reached() || !fault_.empty(); });
  return reached() && fault_.empty();
}

bool EventSourceFleet::wait_for_streams(std::uint64_t count, std::chrono::milliseconds timeout) {
  return wait_until([&] { return streams_ >= count; }, timeout);
}

bool EventSourceFleet::wait_for_events(std::uint64_t seq, std::chrono::milliseconds timeout) {
  // Each has them in order and once, so the sum tells.
  return wait_until([&] { return events_ >= seq * clients_.size(); }, timeout);
}

std::string EventSourceFleet::fault() const {
  const std::scoped_lock lock(mutex_);
  return fault_;
}

std::vector<std::chrono::milliseconds> EventSourceFleet::waits() const {
  const std::scoped_lock lock(mutex_);
  return waits_;
}

void EventSourceFleet::run() {
  std::array<epoll_event, 256> ready{};
  while (!stopping_) {
    const int timeout = connect_due();
    const int count =
        ::epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()), timeout);
    for (int i = 0; i < count; ++i) {
      if (ready[i].data.u32 != wake_index) on_ready(ready[i].data.u32);
    }
    // Empty lock: who waits has either seen this or is waiting by now.
    { const std::scoped_lock lock(mutex_); }
    changed_.notify_all();
  }
}

/// Connects whoever may; returns how long nobody has to be looked at, for epoll.
int EventSourceFleet::connect_due() {
  const auto now = Clock::now();
  while (!waiting_.empty() && waiting_.front().first <= now) {
    idle_.push_back(waiting_.front().second);
    std::ranges::pop_heap(waiting_, std::greater{});
    waiting_.pop_back();
  }
  while (!idle_.empty() && connecting_ < connecting_at_once) {
    const Index next = idle_.front();
    idle_.pop_front();
    connect(next);
  }
  if (waiting_.empty()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(waiting_.front().first - now);
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

void EventSourceFleet::connect(Index index) {
  Client& client = clients_[index];
  client.socket = connect_to(port_);
  if (!client.socket) {
    wait_and_retry(index);
    return;
  }
  client.connecting = true;
  ++connecting_;
  watch(epoll_, client.socket, index, EPOLLOUT);
}

void EventSourceFleet::on_ready(Index index) {
  Client& client = clients_[index];
  if (!client.socket) return;
  if (!client.connecting) {
    read(index);
    return;
  }
  client.connecting = false;
  --connecting_;
  if (connected(client)) {
    watch(epoll_, client.socket, index, EPOLLIN);
  } else {
    lose(index);
  }
}

/// A connection has been made, or not; sends the request on it.
bool EventSourceFleet::connected(Client& client) {
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(client.socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return false;
  const std::string request = client.source.request(options_.path);
  return ::send(client.socket.get(), request.data(), request.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(request.size());
}

void EventSourceFleet::read(Index index) {
  Client& client = clients_[index];
  const ssize_t got = ::recv(client.socket.get(), buffer_.data(), buffer_.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    lose(index);
    return;
  }
  const bool was_open = client.source.open();
  std::uint64_t came = 0;
  const bool well =
      client.source.take({buffer_.data(), static_cast<std::size_t>(got)}, [&](std::uint64_t seq) {
        ++came;
        options_.on_event(seq);
      });
  events_ += came;
  if (well && !was_open && client.source.open()) ++streams_;
  if (well) return;
  {
    const std::scoped_lock lock(mutex_);
    fault_ = "client " + std::to_string(index) + ": " + client.source.fault();
  }
  stopping_ = true;
}

void EventSourceFleet::lose(Index index) {
  clients_[index].socket.reset();
  wait_and_retry(index);
}

void EventSourceFleet::wait_and_retry(Index index) {
  const auto wait = clients_[index].source.retry().value_or(default_retry);
  {
    const std::scoped_lock lock(mutex_);
    waits_.push_back(wait);
  }
  waiting_.emplace_back(Clock::now() + wait, index);
  std::ranges::push_heap(waiting_, std::greater{});
}

}  // namespace annals::test
