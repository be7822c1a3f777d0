#pragma once

#include <chrono>
#include <vector>

namespace annals::bench {

/// Times that so many of all answers took at most, in milliseconds. Plain value.
struct Percentiles {
  double p50_ms = 0;
  double p95_ms = 0;
  double p99_ms = 0;
  double longest_ms = 0;
};

/// Times of single requests. Not thread-safe.
class Latencies {
 public:
  void add(std::chrono::steady_clock::duration time) { times_.push_back(time); }

  /// Those of everything added so far; zeros when that is nothing.
  [[nodiscard]] Percentiles percentiles() const;

 private:
  std::vector<std::chrono::steady_clock::duration> times_;
};

}  // namespace annals::bench
