#include "bench/latencies.hpp"

#include <algorithm>
#include <cstddef>

namespace annals::bench {

Percentiles Latencies::percentiles() const {
  if (times_.empty()) return {};
  auto sorted = times_;
  std::ranges::sort(sorted);
  const auto at = [&](std::size_t percent) {
    const std::size_t index = std::min(sorted.size() * percent / 100, sorted.size() - 1);
    return std::chrono::duration<double, std::milli>(sorted[index]).count();
  };
  return {at(50), at(95), at(99), at(100)};
}

}  // namespace annals::bench
