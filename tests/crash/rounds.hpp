#pragma once

namespace annals::test {

/// How often a crash test kills: ANNALS_CRASH_ROUNDS, 100 when it is not set.
[[nodiscard]] int crash_rounds();

}  // namespace annals::test
