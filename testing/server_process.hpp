#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "testing/process.hpp"

namespace annals::test {

/// `annals serve` on a file and a free port, in open mode. Killed by the destructor. Used on one
/// thread.
class ServerProcess {
 public:
  /// Starts it and waits until it listens; throws std::runtime_error with what it printed when it
  /// does not.
  explicit ServerProcess(const std::filesystem::path& store,
                         const std::vector<std::string>& arguments = {});

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] Process& process() noexcept { return *process_; }

 private:
  std::unique_ptr<Process> process_;
  std::uint16_t port_ = 0;
};

/// The command line of `annals serve` on `store`.
[[nodiscard]] ProcessOptions serve_command(const std::filesystem::path& store,
                                           const std::vector<std::string>& arguments = {});

}  // namespace annals::test
