#pragma once

#include <filesystem>
#include <string_view>

namespace annals::test {

/// A new empty folder below the system's temporary folder, removed with everything in it at the
/// end. Not copyable. `ANNALS_KEEP_TEMP=1` keeps the folder and prints its path, to look at what a
/// failed test left behind.
class TempDir {
 public:
  /// Throws std::system_error when no folder can be made.
  TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  /// The path of `name` inside; nothing is created.
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace annals::test
