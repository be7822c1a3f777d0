#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bench/latencies.hpp"

namespace annals::bench {

using Clock = std::chrono::steady_clock;

/// Ends the program when something that is measured is not what it should be.
inline void must(bool ok, const std::string& what) {
  if (ok) return;
  std::fprintf(stderr, "%s failed\n", what.c_str());
  std::exit(1);
}

inline double seconds(Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

/// Members of a JSON object, each with its comma.
inline std::string json_of(const Percentiles& times) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(),
                R"(,"p50_ms":%.3f,"p95_ms":%.3f,"p99_ms":%.3f,"longest_ms":%.3f)", times.p50_ms,
                times.p95_ms, times.p99_ms, times.longest_ms);
  return text.data();
}

/// Prints the one line of a measure.
inline void report(std::size_t count, Clock::duration time, const std::string& more = {}) {
  std::printf(R"({"count":%zu,"seconds":%.4f,"rate":%.1f%s})"
              "\n",
              count, seconds(time), static_cast<double>(count) / seconds(time), more.c_str());
}

}  // namespace annals::bench
