#include "store/sqlite/server_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace annals::store::sqlite {
namespace {

/// What the holder wrote about itself, one line of printable characters.
std::string holder(int descriptor) {
  std::array<char, 64> text{};
  const auto size = ::pread(descriptor, text.data(), text.size(), 0);
  std::string line;
  for (ssize_t i = 0; i < size && text.at(static_cast<std::size_t>(i)) >= ' '; ++i) {
    line += text.at(static_cast<std::size_t>(i));
  }
  return line.empty() ? "unknown" : line;
}

std::unexpected<Error> unavailable(const std::string& what, int error) {
  return fail(ErrorCode::store_unavailable,
              what + ": " + std::error_code(error, std::generic_category()).message());
}

}  // namespace

Result<void> ServerLock::acquire(const std::filesystem::path& path) {
  if (descriptor_ >= 0) return {};
  auto name = path;
  name += ".server-lock";
  const int descriptor = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return unavailable("cannot open '" + name.string() + "'", errno);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    auto failed = error == EWOULDBLOCK
                      ? fail(ErrorCode::store_unavailable,
                             "another server has this store open (" + holder(descriptor) + ")")
                      : unavailable("cannot lock '" + name.string() + "'", error);
    ::close(descriptor);
    return failed;
  }
  const auto text = "process " + std::to_string(::getpid()) + "\n";
  // Information only: a full disk must not keep a server from starting.
  if (::ftruncate(descriptor, 0) == 0) (void)!::pwrite(descriptor, text.data(), text.size(), 0);
  descriptor_ = descriptor;
  return {};
}

void ServerLock::release() noexcept {
  if (const int descriptor = std::exchange(descriptor_, -1); descriptor >= 0) ::close(descriptor);
}

}  // namespace annals::store::sqlite
