#include "log/system/system_clock.hpp"

#include <chrono>

namespace annals::log {

Timestamp SystemClock::now() {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

}  // namespace annals::log
