#include "bench/window.hpp"

#include <utility>

namespace annals::bench {

using std::chrono::steady_clock;

void Window::send(EventLog& log, std::vector<NewEvent> events, Ack ack,
                  std::optional<steady_clock::time_point> due) {
  {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return open_ < most_; });
    ++open_;
  }
  AppendOptions options;
  options.ack = ack;
  log.append_async(log.local_admin(), std::move(events), std::move(options),
                   [this, begun = due.value_or(steady_clock::now())](
                       const Result<AppendResult>& answer) { answered(begun, answer); });
}

void Window::answered(steady_clock::time_point begun, const Result<AppendResult>& answer) {
  const auto now = steady_clock::now();
  const std::lock_guard lock(mutex_);
  latencies_.add(now - begun);
  if (!answer && !error_) error_ = answer.error();
  --open_;
  // Waking the sender for each answer would cost more than the answers.
  if (open_ == 0 || open_ == most_ / 2) room_.notify_one();
}

Result<Percentiles> Window::finish() {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [this] { return open_ == 0; });
  if (error_) return std::unexpected(*error_);
  return latencies_.percentiles();
}

}  // namespace annals::bench
