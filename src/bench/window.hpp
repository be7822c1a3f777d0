#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "annals/event_log.hpp"
#include "annals/result.hpp"
#include "bench/latencies.hpp"

namespace annals::bench {

/// Sends requests from one thread and keeps at most so many unanswered. Must outlive the answers:
/// `finish` waits for them.
class Window {
 public:
  explicit Window(std::size_t most) : most_(most) {}
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window() { static_cast<void>(finish()); }

  /// Waits for room and sends. What a request took counts from `due`, or from when it was sent.
  void send(EventLog& log, std::vector<NewEvent> events, Ack ack = Ack::durable,
            std::optional<std::chrono::steady_clock::time_point> due = {});

  /// Waits until everything is answered. The first error of any request.
  Result<Percentiles> finish();

 private:
  void answered(std::chrono::steady_clock::time_point begun, const Result<AppendResult>& answer);

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::size_t open_ = 0;
  Latencies latencies_;
  std::optional<Error> error_;
};

}  // namespace annals::bench
