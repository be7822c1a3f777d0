#pragma once

#include <cstddef>
#include <filesystem>

#include "testing/temp_dir.hpp"

namespace annals::test {

/// A real file system of a fixed size, in a folder of its own, that can be filled up and emptied.
/// Needs the right to mount. Gone with everything in it at the end. Used on one thread.
class SmallFileSystem {
 public:
  /// What is free comes in pages of this many bytes.
  static constexpr std::size_t page = 4096;

  /// Mounts one of `bytes` bytes. Throws std::system_error, with the reason, when this process may
  /// not.
  explicit SmallFileSystem(std::size_t bytes);
  SmallFileSystem(const SmallFileSystem&) = delete;
  SmallFileSystem& operator=(const SmallFileSystem&) = delete;
  ~SmallFileSystem();

  /// Its root.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return dir_.path(); }

  /// Fills it up until `pages` pages are free, or as many as there are. Throws std::system_error.
  void fill(std::size_t pages);

  /// Gives back what `fill` took.
  void free();

 private:
  [[nodiscard]] std::filesystem::path ballast() const { return dir_ / ".ballast"; }

  TempDir dir_;
};

}  // namespace annals::test
