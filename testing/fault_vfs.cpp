#include "testing/fault_vfs.hpp"

#include <sqlite3.h>

#include <cstddef>
#include <cstring>
#include <stdexcept>

namespace annals::test {
namespace {

/// The one that databases go through now.
FaultVfs* current = nullptr;

/// SQLite's file object; the real one lies behind it in the same memory.
struct File {
  sqlite3_file base;
};

sqlite3_file* real(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<std::byte*>(file) + sizeof(File));
}

int close(sqlite3_file* file) {
  return real(file)->pMethods->xClose(real(file));
}

int read(sqlite3_file* file, void* data, int size, sqlite3_int64 offset) {
  return real(file)->pMethods->xRead(real(file), data, size, offset);
}

int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
  const int code = current->judge(FaultVfs::Operation::write);
  if (code == SQLITE_IOERR) {
    (void)real(file)->pMethods->xWrite(real(file), data, size / 2, offset);
    return SQLITE_IOERR_WRITE;
  }
  if (code != SQLITE_OK) return code;
  return real(file)->pMethods->xWrite(real(file), data, size, offset);
}

int truncate(sqlite3_file* file, sqlite3_int64 size) {
  const int code = current->judge(FaultVfs::Operation::truncate);
  if (code != SQLITE_OK) return SQLITE_IOERR_TRUNCATE;
  return real(file)->pMethods->xTruncate(real(file), size);
}

int sync(sqlite3_file* file, int flags) {
  const int code = current->judge(FaultVfs::Operation::sync);
  if (code != SQLITE_OK) return SQLITE_IOERR_FSYNC;
  return real(file)->pMethods->xSync(real(file), flags);
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}

int lock(sqlite3_file* file, int level) {
  return real(file)->pMethods->xLock(real(file), level);
}

int unlock(sqlite3_file* file, int level) {
  return real(file)->pMethods->xUnlock(real(file), level);
}

int check_reserved_lock(sqlite3_file* file, int* result) {
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
  return real(file)->pMethods->xShmMap(real(file), region, size, extend, out);
}

int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
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

int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  auto* inner = static_cast<sqlite3_vfs*>(vfs->pAppData);
  const int code = inner->xOpen(inner, name, real(file), flags, out_flags);
  // SQLite closes what has methods, also after a failed open.
  file->pMethods = real(file)->pMethods == nullptr ? nullptr : &methods;
  return code;
}

}  // namespace

struct FaultVfs::Hooks {
  sqlite3_vfs* inner = nullptr;
  sqlite3_vfs vfs{};
};

FaultVfs::FaultVfs() : hooks_(std::make_unique<Hooks>()) {
  if (current != nullptr) throw std::logic_error("one FaultVfs at a time");
  sqlite3_initialize();
  hooks_->inner = sqlite3_vfs_find(nullptr);
  hooks_->vfs = *hooks_->inner;
  hooks_->vfs.pNext = nullptr;
  hooks_->vfs.zName = "annals_fault";
  hooks_->vfs.szOsFile = static_cast<int>(sizeof(File)) + hooks_->inner->szOsFile;
  hooks_->vfs.pAppData = hooks_->inner;
  hooks_->vfs.xOpen = open;
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

}  // namespace annals::test
