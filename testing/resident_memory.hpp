#pragma once

#include <unistd.h>

#include <cstddef>
#include <fstream>

#include "testing/sanitized.hpp"

namespace annals::test {

/// False where what a process holds says nothing about what it needs: sanitizers keep what was
/// freed, to find late uses of it.
inline constexpr bool memory_is_measurable = !sanitized;

/// Resident memory of this process in bytes; 0 when the system does not tell. Thread-safe.
inline std::size_t resident_bytes() {
  std::ifstream file{"/proc/self/statm"};
  std::size_t pages = 0;
  file >> pages >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace annals::test
