#pragma once

#include <filesystem>

#include "annals/result.hpp"

namespace annals::cli {

/// A folder for files that are not wanted afterwards. Movable; removes what it made at its end.
class ScratchFolder {
 public:
  /// A new one below `parent`, removed at the end with everything in it. `store_unavailable` when
  /// it cannot be made.
  static Result<ScratchFolder> make(const std::filesystem::path& parent);

  /// `folder` itself, which stays.
  static Result<ScratchFolder> keep(const std::filesystem::path& folder);

  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  ScratchFolder(std::filesystem::path path, bool owned);

  std::filesystem::path path_;
  bool owned_;
};

}  // namespace annals::cli
