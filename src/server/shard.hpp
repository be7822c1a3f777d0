#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "server/access.hpp"
#include "server/frame_cache.hpp"
#include "server/in_flight.hpp"
#include "server/session.hpp"

namespace annals::server {

/// One thread with its event loop, the sessions on it, and its own view of the newest frames. What
/// is said of a thread below is this one.
class Shard {
 public:
  /// `tick` is how often deadlines are looked at while there are sessions; `cache_bytes` bounds the
  /// frames kept; `open` counts the sessions and must outlive this.
  Shard(std::chrono::milliseconds tick, std::size_t cache_bytes, InFlight& open);
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  /// Stops.
  ~Shard();

  void start();

  /// Ends the thread; sessions left are dropped. From another thread. Idempotent.
  void stop();

  // --- From any thread

  [[nodiscard]] boost::asio::io_context& context() noexcept { return context_; }

  /// Runs `work` on the thread.
  void post(std::function<void()> work);

  /// News from the tail, applied in the order given: keys, frames, and a head without frames.
  void publish(std::shared_ptr<const AccessState> access);
  void publish(std::vector<FrameRunPtr> runs);
  void publish(std::uint64_t head);

  /// Asks every session to finish.
  void stop_sessions();

  /// Closes every session.
  void cut_sessions();

  // --- On the thread

  void add(const std::shared_ptr<Session>& session);
  void remove(const Session& session);

  [[nodiscard]] const FrameCache& cache() const noexcept { return cache_; }
  [[nodiscard]] const AccessState& access() const noexcept { return *access_; }

  /// Memory for reads, valid until the next read of anybody.
  [[nodiscard]] std::vector<char>& scratch() noexcept { return scratch_; }

 private:
  struct OpenSession {
    std::shared_ptr<Session> session;
    std::shared_ptr<void> token;
  };

  /// News not applied yet. Bounded: frames are dropped from the front, which only empties the
  /// cache.
  struct Inbox {
    std::shared_ptr<const AccessState> access;
    std::deque<FrameRunPtr> runs;
    std::size_t bytes = 0;
    std::uint64_t head = 0;
    bool scheduled = false;
  };

  void schedule(std::unique_lock<std::mutex> lock);
  void apply_news();
  void arm_tick();
  void on_tick();
  template <typename Action>
  void for_each(Action action);

  const std::chrono::milliseconds tick_;
  const std::size_t cache_bytes_;
  InFlight& open_;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer timer_;
  bool ticking_ = false;

  std::mutex mutex_;
  Inbox inbox_;  // under mutex_

  FrameCache cache_;
  std::shared_ptr<const AccessState> access_ = std::make_shared<AccessState>();
  std::unordered_map<const Session*, OpenSession> sessions_;
  std::vector<char> scratch_;
  std::thread thread_;
};

}  // namespace annals::server
