#include "tests/crash/rounds.hpp"

#include <cstdlib>

namespace annals::test {

int crash_rounds() {
  constexpr int usual = 100;
  const char* asked = std::getenv("ANNALS_CRASH_ROUNDS");
  const int rounds = asked == nullptr ? usual : std::atoi(asked);
  return rounds > 0 ? rounds : usual;
}

}  // namespace annals::test
