#pragma once

#include <cstdint>

namespace annals::test {

/// The random seed of this test run, printed at its start. Given by --seed=N or ANNALS_TEST_SEED=N,
/// otherwise drawn anew. RapidCheck uses the same one. Every random choice in a test starts here,
/// so that a failure can be repeated. Constant during a run; safe from any thread.
std::uint64_t seed() noexcept;

}  // namespace annals::test
