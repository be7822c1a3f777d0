#include "store/sqlite/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>

#include "annals/uuid.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/error.hpp"
#include "store/sqlite/schema.hpp"

namespace annals::store::sqlite {
namespace {

namespace fs = std::filesystem;

fs::path with_suffix(const fs::path& path, std::string_view suffix) {
  auto name = path;
  name += suffix;
  return name;
}

std::unexpected<Error> unavailable(std::string what, const std::error_code& error) {
  return fail(ErrorCode::store_unavailable, std::move(what) + ": " + error.message());
}

/// A name that no other attempt has, in this process or another.
fs::path draft_name(const fs::path& path, const Uuid& log_id) {
  static std::atomic<unsigned> attempts = 0;
  return with_suffix(path, ".new-" + to_string(log_id) + "-" + std::to_string(::getpid()) + "-" +
                               std::to_string(attempts++));
}

/// Takes the unfinished file away, whatever happened.
class Draft {
 public:
  explicit Draft(fs::path path) : path_(std::move(path)) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    std::error_code ignored;
    for (const auto* suffix : {"", "-wal", "-shm", "-journal"}) {
      fs::remove(with_suffix(path_, suffix), ignored);
    }
  }
  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

Result<void> fill(const fs::path& path, const log::NewLog& new_log,
                  const std::function<void(std::string_view)>& trace) {
  auto opened = Connection::open(path, Missing::create, trace);
  if (!opened) return std::unexpected(opened.error());
  auto& database = (*opened)->database();
  const auto page = "PRAGMA main.page_size = " + std::to_string(page_size);
  if (auto set = database.execute(page.c_str()); !set) return set;
  if (auto made = create_schema(database, new_log); !made) return made;
  if (auto configured = (*opened)->configure(Role::writer); !configured) return configured;
  database.checkpoint_on_close();
  return {};
}

/// Makes the new name survive a power failure.
Result<void> sync_folder(const fs::path& path) {
  const auto folder = fs::absolute(path).parent_path();
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    return unavailable("cannot open the folder", {errno, std::generic_category()});
  }
  const int failed = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (failed != 0) return unavailable("cannot sync the folder", {failed, std::generic_category()});
  return {};
}

}  // namespace

Result<Place> look_at(const fs::path& path) {
  if (path.empty()) return fail(ErrorCode::store_unavailable, "the path of the store is empty");
  std::error_code error;
  const auto status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    const auto wal = with_suffix(path, "-wal");
    const auto left = fs::file_size(wal, error);
    if (!error && left > 0) {
      return std::unexpected(corrupt("the file is missing, but its write-ahead log '" +
                                     wal.string() + "' is there; put the file back"));
    }
    return Place::missing;
  }
  if (error) return unavailable("cannot look at '" + path.string() + "'", error);
  if (status.type() == fs::file_type::directory) {
    return std::unexpected(corrupt("'" + path.string() + "' is a folder"));
  }
  if (status.type() == fs::file_type::regular && fs::file_size(path, error) == 0 && !error) {
    return std::unexpected(corrupt(
        "the file is empty: cut to nothing, or made by something else; a new log is only made "
        "where no file is"));
  }
  return Place::present;
}

Result<void> make_file(const fs::path& path, const log::NewLog& new_log,
                       const std::function<void(std::string_view)>& trace) {
  const Draft draft(draft_name(path, new_log.log_id));
  if (auto filled = fill(draft.path(), new_log, trace); !filled) return filled;
  // Unlike a rename, a link never replaces what is there.
  if (::link(draft.path().c_str(), path.c_str()) != 0 && errno != EEXIST) {
    return unavailable("cannot make '" + path.string() + "'", {errno, std::generic_category()});
  }
  return sync_folder(path);
}

}  // namespace annals::store::sqlite
