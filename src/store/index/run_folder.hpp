#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "annals/result.hpp"
#include "store/index/run.hpp"

namespace annals::store::index {

/// The runs of a log at one moment, ascending, without overlaps. Immutable.
using RunList = std::vector<std::shared_ptr<const Run>>;

/// The run that covers a number, or null.
[[nodiscard]] const Run* run_at(const RunList& runs, std::uint64_t seq);

/// A stretch of the log that one run covers, or none does. Both ends included.
struct Stretch {
  const Run* run = nullptr;  ///< Null: not covered.
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  friend bool operator==(const Stretch&, const Stretch&) = default;
};

/// The stretch that begins at `first` and ends at `last` or before.
[[nodiscard]] Stretch stretch_from(const RunList& runs, std::uint64_t first, std::uint64_t last);

/// The stretch that ends at `last` and begins at `first` or after.
[[nodiscard]] Stretch stretch_to(const RunList& runs, std::uint64_t first, std::uint64_t last);

/// The folder beside a log in which its runs are. Any process may read it at any time: files appear
/// whole and do not change. Who changes it holds the folder's lock. Thread-safe.
class RunFolder {
 public:
  /// Tells whether a run is about the log as it is now; asked once for each new file.
  using Fits = std::function<bool(const RunInfo&)>;

  RunFolder() = default;
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder() = default;

  /// Says where the folder is or would be. Called once, before anything else; no I/O.
  void set_path(std::filesystem::path path) { path_ = std::move(path); }

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  /// What is usable now: readable, undamaged, about this log.
  std::shared_ptr<const RunList> runs(const Fits& fits);

  /// Looks at the folder anew at the next call of `runs`, whatever its time says.
  void forget();

  /// Removes files that no usable run needs: unfinished, damaged, of another log, contained in a
  /// larger one. For the holder of the lock.
  void tidy(const Fits& fits);

  /// Where a run stands once it is whole, and where it is written before.
  [[nodiscard]] std::filesystem::path final_name(std::uint64_t from, std::uint64_t to) const;
  [[nodiscard]] std::filesystem::path draft_name(std::uint64_t from, std::uint64_t to) const;

  /// Gives a written run its name: readers find it from now on.
  Result<void> publish(const std::filesystem::path& draft, std::uint64_t from, std::uint64_t to);

 private:
  void reload(const Fits& fits);

  std::filesystem::path path_;

  std::mutex mutex_;  ///< Protects everything below.
  std::shared_ptr<const RunList> runs_ = std::make_shared<const RunList>();
  std::filesystem::file_time_type looked_at_{};  ///< The folder's time when it was read.
  bool settled_ = false;  ///< A change after the look would have shown in the folder's time.
};

/// The right to change a run folder, held by one process at a time. Used on one thread.
class FolderLock {
 public:
  /// Makes the folder when it is missing. False when somebody else holds the lock.
  Result<bool> try_acquire(const std::filesystem::path& folder);

  FolderLock() = default;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() { release(); }

  void release() noexcept;

 private:
  int descriptor_ = -1;
};

}  // namespace annals::store::index
