#pragma once

#include <cstdint>
#include <vector>

namespace annals::bench {

/// Processes that are measured together, by their ids.
using Pids = std::vector<int>;

/// Memory of the processes in bytes that is not that of files: what they share counts once. Ends
/// the program when the system does not tell.
[[nodiscard]] std::uint64_t memory_bytes(const Pids& pids);

/// Seconds of processor time that the processes have used, in user and system mode.
[[nodiscard]] double cpu_seconds(const Pids& pids);

}  // namespace annals::bench
