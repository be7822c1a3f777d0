#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace annals::server {

/// Threads for calls that may block on the store, so that those of the network never do. Whoever
/// submits has at most one or two jobs here at a time: the number of connections bounds the queue.
/// Thread-safe.
class WorkerPool {
 public:
  using Job = std::function<void()>;

  WorkerPool() = default;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Stops.
  ~WorkerPool();

  /// Starts the threads; called once.
  void start(std::size_t threads);

  /// Queues a job. It must not throw. Returns false, and drops the job, once stopping.
  bool submit(Job job);

  /// Runs what is queued, then ends the threads. Idempotent.
  void stop();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;   // under mutex_
  bool stopping_ = false;  // under mutex_
  std::vector<std::thread> threads_;
};

}  // namespace annals::server
