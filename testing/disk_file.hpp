#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <vector>

#include "testing/fd.hpp"
#include "testing/random.hpp"

namespace annals::test {

/// What is on the disk after a power cut.
enum class Survivors : std::uint8_t {
  synced,  ///< What was synced, nothing else.
  torn,    ///< And of the rest some sectors of 512 bytes: any, or all up to one place.
  all,     ///< Everything, as after `kill -9`: the program is gone, the system is not.
};

/// What one file is to a disk that keeps only what was synced: that, and what was written since.
/// The file itself is what programs see and is not touched before `settle`. Names are not its
/// matter: it stays with its file through links and removal, and keeps it from being reused.
/// Thread-safe; the owner calls in the order in which the file changes.
class DiskFile {
 public:
  /// What the file holds now counts as synced. Throws std::system_error when it cannot be read.
  explicit DiskFile(const std::filesystem::path& path);

  /// Bytes were written at `offset`.
  void wrote(std::span<const std::byte> bytes, std::uint64_t offset);

  /// The file was cut or extended to `size` bytes.
  void truncated(std::uint64_t size);

  /// All changes so far reach the disk, except those that a failed sync has lost.
  void synced();

  /// A sync failed: the system takes the changes since the last one for written and never tries
  /// again, so that no later sync brings them to the disk. Programs go on reading them.
  void sync_failed();

  /// Makes the file what a power cut leaves of it. The disk then holds just that. Throws
  /// std::system_error when it cannot be written.
  void settle(Survivors survivors, Random& random);

 private:
  /// Bytes written, or with none the new size of the file, which `offset` is then.
  struct Change {
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes;
  };

  void apply(const Change& change, std::size_t from, std::size_t to);
  void apply(const Change& change) { apply(change, 0, change.bytes.size()); }
  void apply_any_sectors(const Change& change, Random& random);
  void tear(Random& random);
  void write_back();

  Fd fd_;  ///< Closed with this only: closing any descriptor of a file ends the process's locks.
  std::mutex mutex_;               ///< Protects everything below.
  std::vector<std::byte> synced_;  ///< What is on the disk for sure.
  std::vector<Change> pending_;    ///< What is not, in order.
};

}  // namespace annals::test
