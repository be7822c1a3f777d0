#include "cli/scratch_folder.hpp"

#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

namespace annals::cli {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder(fs::path path, bool owned) : path_(std::move(path)), owned_(owned) {}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : path_(std::move(other.path_)),
      owned_(std::exchange(other.owned_, false)) {}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (owned_) fs::remove_all(path_, ignored);
}

Result<ScratchFolder> ScratchFolder::make(const fs::path& parent) {
  std::string name = (parent / "annals-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    return fail(ErrorCode::store_unavailable, "cannot make a folder in '" + parent.string() + "'");
  }
  return ScratchFolder(name, true);
}

Result<ScratchFolder> ScratchFolder::keep(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return fail(ErrorCode::store_unavailable, "'" + folder.string() + "': " + error.message());
  return ScratchFolder(folder, false);
}

}  // namespace annals::cli
