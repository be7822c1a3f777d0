#include "bench/server_usage.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#include "bench/measuring.hpp"

namespace annals::bench {

namespace {

constexpr std::uint64_t kib = 1024;

std::string proc(int pid, const char* name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

}  // namespace

std::uint64_t memory_bytes(const Pids& pids) {
  std::uint64_t bytes = 0;
  for (const int pid : pids) {
    std::ifstream rollup(proc(pid, "smaps_rollup"));
    int found = 0;
    for (std::string line; std::getline(rollup, line);) {
      if (!line.starts_with("Pss_Anon:") && !line.starts_with("Pss_Shmem:")) continue;
      ++found;
      bytes += std::stoull(line.substr(line.find(':') + 1)) * kib;
    }
    must(found == 2, "reading the memory of " + std::to_string(pid));
  }
  return bytes;
}

double cpu_seconds(const Pids& pids) {
  constexpr int skipped = 11;  // between the name and utime
  std::uint64_t ticks = 0;
  for (const int pid : pids) {
    std::ifstream stat(proc(pid, "stat"));
    std::string text;
    must(static_cast<bool>(std::getline(stat, text)), "reading the time of " + std::to_string(pid));
    // The name is in parentheses and may hold anything.
    std::istringstream fields(text.substr(text.rfind(')') + 1));
    std::string field;
    for (int i = 0; i < skipped; ++i)
      fields >> field;
    std::uint64_t user = 0;
    std::uint64_t system = 0;
    fields >> user >> system;
    ticks += user + system;
  }
  return static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace annals::bench
