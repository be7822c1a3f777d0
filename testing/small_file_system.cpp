#include "testing/small_file_system.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "testing/fd.hpp"

namespace annals::test {

namespace {

void check(bool ok, const char* what) {
  if (!ok) throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

SmallFileSystem::SmallFileSystem(std::size_t bytes) {
  const auto size = "size=" + std::to_string(bytes);
  check(::mount("tmpfs", path().c_str(), "tmpfs", MS_NOSUID | MS_NODEV, size.c_str()) == 0,
        "cannot mount a small file system");
}

SmallFileSystem::~SmallFileSystem() {
  ::umount2(path().c_str(), MNT_DETACH);
}

void SmallFileSystem::fill(std::size_t pages) {
  free();
  struct statvfs status{};
  check(::statvfs(path().c_str(), &status) == 0, "statvfs");
  const auto available = static_cast<std::size_t>(status.f_bavail) * status.f_frsize;
  if (available <= pages * page) return;
  const Fd fd(::open(ballast().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  check(static_cast<bool>(fd), "open");
  errno = ::posix_fallocate(fd.get(), 0, static_cast<off_t>(available - pages * page));
  check(errno == 0, "allocate");
}

void SmallFileSystem::free() {
  std::filesystem::remove(ballast());
}

}  // namespace annals::test
