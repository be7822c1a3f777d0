#include "testing/fault_vfs.hpp"

#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

namespace annals::test {
namespace {

/// The one that databases go through now.
FaultVfs* current = nullptr;

/// SQLite's file object; the real one lies behind it in the same memory.
struct File {
  sqlite3_file base;
  DiskFile* disk;  ///< Null where the real disk is used.
  bool counted;    ///< One of the database's files that stay.
};

sqlite3_file* real(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<std::byte*>(file) + sizeof(File));
}

DiskFile* disk(sqlite3_file* file) {
  return reinterpret_cast<File*>(file)->disk;
}

int close(sqlite3_file* file) {
  if (reinterpret_cast<File*>(file)->counted) current->closed();
  return real(file)->pMethods->xClose(real(file));
}

int read(sqlite3_file* file, void* data, int size, sqlite3_int64 offset) {
  if (!current->has_power()) return SQLITE_IOERR_READ;
  return real(file)->pMethods->xRead(real(file), data, size, offset);
}

int write_through(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
  const int code = real(file)->pMethods->xWrite(real(file), data, size, offset);
  if (code == SQLITE_OK && disk(file) != nullptr) {
    disk(file)->wrote({static_cast<const std::byte*>(data), static_cast<std::size_t>(size)},
                      static_cast<std::uint64_t>(offset));
  }
  return code;
}

int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
  if (!current->has_power()) return SQLITE_IOERR_WRITE;
  const int code = current->judge(FaultVfs::Operation::write);
  if (code == SQLITE_IOERR) {
    (void)write_through(file, data, size / 2, offset);
    return SQLITE_IOERR_WRITE;
  }
  if (code != SQLITE_OK) return code;
  return write_through(file, data, size, offset);
}

int truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (!current->has_power()) return SQLITE_IOERR_TRUNCATE;
  int code = current->judge(FaultVfs::Operation::truncate);
  if (code != SQLITE_OK) return SQLITE_IOERR_TRUNCATE;
  code = real(file)->pMethods->xTruncate(real(file), size);
  if (code == SQLITE_OK && disk(file) != nullptr) {
    disk(file)->truncated(static_cast<std::uint64_t>(size));
  }
  return code;
}

int sync(sqlite3_file* file, int flags) {
  if (!current->has_power()) return SQLITE_IOERR_FSYNC;
  const int code = current->judge(FaultVfs::Operation::sync);
  if (code != SQLITE_OK) {
    if (disk(file) != nullptr) disk(file)->sync_failed();
    return SQLITE_IOERR_FSYNC;
  }
  if (!current->sync_passes(FaultVfs::Moment::before)) return SQLITE_IOERR_FSYNC;
  if (disk(file) == nullptr) return real(file)->pMethods->xSync(real(file), flags);
  disk(file)->synced();
  return current->sync_passes(FaultVfs::Moment::after) ? SQLITE_OK : SQLITE_IOERR_FSYNC;
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  if (!current->has_power()) return SQLITE_IOERR_FSTAT;
  return real(file)->pMethods->xFileSize(real(file), size);
}

int lock(sqlite3_file* file, int level) {
  if (!current->has_power()) return SQLITE_IOERR_LOCK;
  return real(file)->pMethods->xLock(real(file), level);
}

int unlock(sqlite3_file* file, int level) {
  return real(file)->pMethods->xUnlock(real(file), level);
}

int check_reserved_lock(sqlite3_file* file, int* result) {
  if (!current->has_power()) return SQLITE_IOERR_CHECKRESERVEDLOCK;
  return real(file)->pMethods->xCheckReservedLock(real(file), result);
}

int file_control(sqlite3_file* file, int operation, void* argument) {
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

int sector_size(sqlite3_file* file) {
  return real(file)->pMethods->xSectorSize(real(file));
}

int device_characteristics(sqlite3_file* file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

int shm_map(sqlite3_file* file, int region, int size, int extend, void volatile** out) {
  if (!current->has_power()) return SQLITE_IOERR_SHMMAP;
  return real(file)->pMethods->xShmMap(real(file), region, size, extend, out);
}

int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  const bool locks = (flags & SQLITE_SHM_LOCK) != 0;
  if (locks && !current->has_power()) return SQLITE_IOERR_SHMLOCK;
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

void shm_barrier(sqlite3_file* file) {
  real(file)->pMethods->xShmBarrier(real(file));
}

int shm_unmap(sqlite3_file* file, int remove) {
  return real(file)->pMethods->xShmUnmap(real(file), remove);
}

/// Version 2: shared memory, but no memory mapping, so that every read and write is seen.
const sqlite3_io_methods methods{2,
                                 close,
                                 read,
                                 write,
                                 truncate,
                                 sync,
                                 file_size,
                                 lock,
                                 unlock,
                                 check_reserved_lock,
                                 file_control,
                                 sector_size,
                                 device_characteristics,
                                 shm_map,
                                 shm_lock,
                                 shm_barrier,
                                 shm_unmap,
                                 nullptr,
                                 nullptr};

sqlite3_vfs* inner(sqlite3_vfs* vfs) {
  return static_cast<sqlite3_vfs*>(vfs->pAppData);
}

/// The files that make a database; others are gone with the connection.
constexpr int lasting = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL;

int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  auto* self = reinterpret_cast<File*>(file);
  *self = {};
  if (!current->has_power()) return SQLITE_CANTOPEN;
  const int code = inner(vfs)->xOpen(inner(vfs), name, real(file), flags, out_flags);
  // SQLite closes what has methods, also after a failed open.
  file->pMethods = real(file)->pMethods == nullptr ? nullptr : &methods;
  if (code != SQLITE_OK || name == nullptr || (flags & lasting) == 0) return code;
  try {
    self->disk = current->opened(name);
    self->counted = true;
  } catch (const std::exception&) {
    return SQLITE_CANTOPEN;
  }
  return code;
}

int remove(sqlite3_vfs* vfs, const char* name, int sync_folder) {
  if (!current->has_power()) return SQLITE_IOERR_DELETE;
  return inner(vfs)->xDelete(inner(vfs), name, sync_folder);
}

int access(sqlite3_vfs* vfs, const char* name, int flags, int* result) {
  if (!current->has_power()) return SQLITE_IOERR_ACCESS;
  return inner(vfs)->xAccess(inner(vfs), name, flags, result);
}

}  // namespace

struct FaultVfs::Hooks {
  /// Device and number of a file: names change, files stay.
  using FileId = std::pair<dev_t, ino_t>;

  sqlite3_vfs* inner = nullptr;
  sqlite3_vfs vfs{};

  std::mutex mutex;  ///< Protects everything below.
  /// In the order in which they were first opened, so that a seed tears the same ones again.
  std::vector<std::pair<FileId, std::unique_ptr<DiskFile>>> files;
  std::set<std::string> paths;  ///< Under which they were opened.
};

FaultVfs::FaultVfs(Disk disk) : hooks_(std::make_unique<Hooks>()), disk_(disk) {
  if (current != nullptr) throw std::logic_error("one FaultVfs at a time");
  sqlite3_initialize();
  hooks_->inner = sqlite3_vfs_find(nullptr);
  hooks_->vfs = *hooks_->inner;
  hooks_->vfs.pNext = nullptr;
  hooks_->vfs.zName = "annals_fault";
  hooks_->vfs.szOsFile = static_cast<int>(sizeof(File)) + hooks_->inner->szOsFile;
  hooks_->vfs.pAppData = hooks_->inner;
  hooks_->vfs.xOpen = open;
  hooks_->vfs.xDelete = remove;
  hooks_->vfs.xAccess = access;
  sqlite3_vfs_register(&hooks_->vfs, 1);
  current = this;
}

FaultVfs::~FaultVfs() {
  sqlite3_vfs_unregister(&hooks_->vfs);
  sqlite3_vfs_register(hooks_->inner, 1);
  current = nullptr;
}

void FaultVfs::fail(Operation operation, std::uint64_t nth, Failure failure, bool for_good) {
  armed_ = false;
  operation_ = operation;
  failure_ = failure;
  for_good_ = for_good;
  failed_ = 0;
  at_ = count(operation) + nth;
  armed_ = true;
}

void FaultVfs::heal() {
  armed_ = false;
}

std::uint64_t FaultVfs::count(Operation operation) const noexcept {
  return counts_[static_cast<std::size_t>(operation)];
}

int FaultVfs::judge(Operation operation) noexcept {
  const auto number = ++counts_[static_cast<std::size_t>(operation)];
  if (!armed_ || operation != operation_) return SQLITE_OK;
  const bool hit = number == at_ || (for_good_ && number > at_);
  if (!hit) return SQLITE_OK;
  ++failed_;
  return failure_ == Failure::full ? SQLITE_FULL : SQLITE_IOERR;
}

void FaultVfs::cut_power(std::uint64_t nth, Moment moment) {
  if (disk_ == Disk::real) throw std::logic_error("only the simulated disk loses its power");
  cut_moment_ = moment;
  cut_at_ = count(Operation::sync) + nth;
}

void FaultVfs::cut_power() {
  if (disk_ == Disk::real) throw std::logic_error("only the simulated disk loses its power");
  power_ = false;
}

bool FaultVfs::sync_passes(Moment moment) noexcept {
  const auto at = cut_at_.load();
  if (at != 0 && cut_moment_ == moment && count(Operation::sync) >= at) power_ = false;
  return power_;
}

void FaultVfs::restore(Survivors survivors, std::uint64_t seed) {
  if (open_files_ != 0) throw std::logic_error("a database is open");
  Random random(seed);
  const std::lock_guard lock(hooks_->mutex);
  for (auto& [id, file] : hooks_->files)
    file->settle(survivors, random);
  for (const auto& path : hooks_->paths)
    std::filesystem::remove(path + "-shm");
  cut_at_ = 0;
  power_ = true;
}

DiskFile* FaultVfs::opened(const std::string& path) {
  DiskFile* file = nullptr;
  if (disk_ == Disk::simulated) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) {
      throw std::system_error(errno, std::generic_category(), path);
    }
    const std::lock_guard lock(hooks_->mutex);
    const Hooks::FileId id{status.st_dev, status.st_ino};
    auto known =
        std::ranges::find(hooks_->files, id, [](const auto& entry) { return entry.first; });
    if (known == hooks_->files.end()) {
      known = hooks_->files.emplace(known, id, std::make_unique<DiskFile>(path));
    }
    hooks_->paths.insert(path);
    file = known->second.get();
  }
  ++open_files_;
  return file;
}

}  // namespace annals::test
