#pragma once

#include <filesystem>

#include "annals/result.hpp"

namespace annals::store::sqlite {

/// The right to be the only server of a file: a lock of the kernel on `<path>.server-lock`. The
/// file stays; its text tells people who has or had the lock and decides nothing. Owner of the
/// descriptor; used by one thread at a time.
class ServerLock {
 public:
  ServerLock() = default;
  ServerLock(const ServerLock&) = delete;
  ServerLock& operator=(const ServerLock&) = delete;
  ~ServerLock() { release(); }

  /// Takes the lock of the store at `path` or fails at once with `store_unavailable`, naming the
  /// holder as its text does. Repeating it is harmless.
  Result<void> acquire(const std::filesystem::path& path);

  /// Gives the lock back. Idempotent.
  void release() noexcept;

 private:
  int descriptor_ = -1;
};

}  // namespace annals::store::sqlite
