#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "log/ports/store.hpp"
#include "log/verify/range.hpp"

namespace annals::log {

/// Cuts the log into ranges that end at hash marks. Used under the pipeline's lock.
class RangeDispenser {
 public:
  explicit RangeDispenser(SeqRange whole) : next_(whole.first), last_(whole.last) {}

  /// The next range, or `nullopt` at the end.
  std::optional<SeqRange> take();

  /// Nothing lies before `seq` any more.
  void skip_to(std::uint64_t seq) noexcept;

  /// What was not taken yet; nothing is left afterwards.
  SeqRange give_up() noexcept;

  [[nodiscard]] bool exhausted() const noexcept { return next_ > last_; }

 private:
  std::uint64_t next_;
  std::uint64_t last_;
};

/// Reads and hashes ranges of the log on a pool of threads and hands them out in order. What is
/// waiting is bounded. With one thread everything happens inside `next`. `next` is for one thread;
/// the store must outlive this.
class RangePipeline {
 public:
  RangePipeline(EventReader& reader, const RangeSettings& settings, SeqRange whole,
                unsigned threads);
  RangePipeline(const RangePipeline&) = delete;
  RangePipeline& operator=(const RangePipeline&) = delete;

  /// Stops the threads, each after the range it is at.
  ~RangePipeline();

  /// The next range in order; `nullopt` at the end.
  std::optional<CheckedRange> next();

 private:
  struct Slot {
    std::optional<CheckedRange> done;
  };

  void work();
  void finish(CheckedRange result, Slot& slot);

  EventReader& reader_;
  const RangeSettings settings_;
  const std::size_t max_slots_;

  std::mutex mutex_;
  std::condition_variable changed_;
  RangeDispenser dispenser_;                    // under mutex_
  std::deque<std::unique_ptr<Slot>> slots_;     // under mutex_; in order of the ranges
  unsigned lost_ranges_ = 0;                    // under mutex_
  bool stopping_ = false;                       // under mutex_
  std::unique_ptr<RangeReader> inline_reader_;  ///< Without threads.
  std::vector<std::jthread> threads_;
};

}  // namespace annals::log
