#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "testing/event_source.hpp"
#include "testing/fd.hpp"

namespace annals::test {

/// How a fleet follows. Plain value.
struct FleetOptions {
  std::size_t clients = 1;
  std::string path = "/v1/events/stream?after=0";
  EventSource::OnEvent on_event = [](std::uint64_t /*seq*/) {};  ///< On the fleet's thread.
};

/// Many clients on one thread that do what a browser's EventSource does: each asks for the stream,
/// and when the connection ends or cannot be made, waits as long as the server's `retry:` says and
/// asks again with the id it has. The first that finds something wrong ends them all. Thread-safe;
/// the destructor closes all connections.
class EventSourceFleet {
 public:
  /// Begins to connect to a port of 127.0.0.1, some clients at a time. Throws std::system_error.
  EventSourceFleet(std::uint16_t port, FleetOptions options);
  EventSourceFleet(const EventSourceFleet&) = delete;
  EventSourceFleet& operator=(const EventSourceFleet&) = delete;
  ~EventSourceFleet();

  /// Where connections are made from now on.
  void target(std::uint16_t port) noexcept { port_ = port; }

  /// Waits until streams have been begun so often, over all clients; false when `timeout` passes or
  /// something is wrong.
  [[nodiscard]] bool wait_for_streams(std::uint64_t count, std::chrono::milliseconds timeout);

  /// Waits until every client has every event up to `seq`; false when `timeout` passes or something
  /// is wrong.
  [[nodiscard]] bool wait_for_events(std::uint64_t seq, std::chrono::milliseconds timeout);

  /// The first thing that was wrong, for people; empty while nothing is.
  [[nodiscard]] std::string fault() const;

  /// Events that came, over all clients.
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }

  /// How long each client that lost its connection was told to wait.
  [[nodiscard]] std::vector<std::chrono::milliseconds> waits() const;

 private:
  using Clock = std::chrono::steady_clock;

  struct Client {
    EventSource source;
    Fd socket;
    bool connecting = false;
  };
  using Index = std::uint32_t;

  void run();
  [[nodiscard]] int connect_due();
  void connect(Index index);
  void on_ready(Index index);
  [[nodiscard]] bool connected(Client& client);
  void read(Index index);
  void lose(Index index);
  void wait_and_retry(Index index);
  [[nodiscard]] bool wait_until(const std::function<bool()>& reached,
                                std::chrono::milliseconds timeout);

  const FleetOptions options_;
  std::atomic<std::uint16_t> port_;
  std::atomic<std::uint64_t> events_{0};
  std::atomic<std::uint64_t> streams_{0};
  std::atomic<bool> stopping_{false};

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string fault_;                             // under mutex_
  std::vector<std::chrono::milliseconds> waits_;  // under mutex_

  // The fleet's thread only.
  std::vector<Client> clients_;
  std::deque<Index> idle_;                                    ///< To be connected now.
  std::vector<std::pair<Clock::time_point, Index>> waiting_;  ///< A heap, the earliest first.
  std::size_t connecting_ = 0;
  std::vector<char> buffer_;

  Fd epoll_;
  Fd wake_;
  std::thread thread_;
};

}  // namespace annals::test
