#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "testing/fault_vfs.hpp"
#include "testing/temp_dir.hpp"
#include "tests/fault/workload.hpp"

namespace annals::test {

/// A log with a few events that is made once and copied for each case, so that each starts alike.
class FirstLog {
 public:
  /// Throws std::runtime_error when it cannot be made.
  explicit FirstLog(std::uint64_t seed);

  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return dir_.path(); }

 private:
  TempDir dir_;
};

/// One copy of a first log on a simulated disk, and the workload that runs on it. Checks are
/// GoogleTest expectations. Used on one thread.
class FaultCase {
 public:
  /// How a log is left.
  enum class End : std::uint8_t {
    closed,  ///< In good order.
    killed,  ///< As by `kill -9`: everything written stays.
    power,   ///< As by a power cut: only what was synced stays.
    torn,    ///< And some of the rest.
  };

  FaultCase(const FirstLog& first, std::uint64_t seed);

  FaultVfs& vfs() noexcept { return vfs_; }
  Workload& workload() noexcept { return *workload_; }

  /// Opens the log; a failed expectation and false when it cannot be opened.
  bool open();

  /// Ends the workload's use of the log. `seed` decides what is torn.
  void leave(End end, std::uint64_t seed = 0);

  /// Expects that the log has kept its promises.
  void expect_sound();

  /// Expects that the log takes an event.
  void expect_appends();

 private:
  FaultVfs vfs_{FaultVfs::Disk::simulated};
  TempDir dir_;
  std::vector<std::filesystem::path> journals_;
  std::unique_ptr<Workload> workload_;
};

}  // namespace annals::test
