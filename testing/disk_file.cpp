#include "testing/disk_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace annals::test {

namespace {

constexpr std::uint64_t sector = 512;

void check(bool ok, const char* what) {
  if (!ok) throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

DiskFile::DiskFile(const std::filesystem::path& path)
    : fd_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
  if (!fd_) throw std::system_error(errno, std::generic_category(), path.string());
  const auto size = ::lseek(fd_.get(), 0, SEEK_END);
  check(size >= 0, "seek");
  synced_.resize(static_cast<std::size_t>(size));
  check(::pread(fd_.get(), synced_.data(), synced_.size(), 0) == size, "read");
}

void DiskFile::wrote(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (bytes.empty()) return;
  const std::lock_guard lock(mutex_);
  pending_.push_back({offset, {bytes.begin(), bytes.end()}});
}

void DiskFile::truncated(std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  pending_.push_back({size, {}});
}

void DiskFile::synced() {
  const std::lock_guard lock(mutex_);
  for (const Change& change : pending_)
    apply(change);
  pending_.clear();
}

void DiskFile::sync_failed() {
  const std::lock_guard lock(mutex_);
  pending_.clear();
}

void DiskFile::settle(Survivors survivors, Random& random) {
  const std::lock_guard lock(mutex_);
  if (survivors == Survivors::all) {
    // What programs see is the file as it is; another look at it makes that the disk's state too.
    const auto size = ::lseek(fd_.get(), 0, SEEK_END);
    check(size >= 0, "seek");
    synced_.resize(static_cast<std::size_t>(size));
    check(::pread(fd_.get(), synced_.data(), synced_.size(), 0) == size, "read");
  } else {
    if (survivors == Survivors::torn) tear(random);
    write_back();
  }
  pending_.clear();
}

/// Bytes `from` to `to` of a change; of a new size all or nothing.
void DiskFile::apply(const Change& change, std::size_t from, std::size_t to) {
  if (change.bytes.empty()) {
    synced_.resize(static_cast<std::size_t>(change.offset));
    return;
  }
  if (from == to) return;
  const auto end = static_cast<std::size_t>(change.offset) + to;
  if (synced_.size() < end) synced_.resize(end);
  std::copy(change.bytes.begin() + static_cast<std::ptrdiff_t>(from),
            change.bytes.begin() + static_cast<std::ptrdiff_t>(to),
            synced_.begin() + static_cast<std::ptrdiff_t>(change.offset + from));
}

void DiskFile::apply_any_sectors(const Change& change, Random& random) {
  if (change.bytes.empty()) {
    if (random.chance(50)) apply(change);
    return;
  }
  for (std::size_t from = 0; from < change.bytes.size();) {
    const auto rest = sector - (change.offset + from) % sector;
    const auto to = std::min(change.bytes.size(), from + static_cast<std::size_t>(rest));
    if (random.chance(50)) apply(change, from, to);
    from = to;
  }
}

void DiskFile::tear(Random& random) {
  if (pending_.empty()) return;
  if (random.chance(50)) {
    for (const Change& change : pending_)
      apply_any_sectors(change, random);
    return;
  }
  const auto whole = static_cast<std::size_t>(random.below(pending_.size()));
  for (std::size_t i = 0; i < whole; ++i)
    apply(pending_[i]);
  // The next one up to a border of sectors, which may also be none or all of it.
  const Change& last = pending_[whole];
  const auto first = last.offset / sector;
  const auto sectors = (last.offset + last.bytes.size() + sector - 1) / sector - first;
  const auto until = std::max(last.offset, (first + random.between(0, sectors)) * sector);
  apply(last, 0, std::min(last.bytes.size(), static_cast<std::size_t>(until - last.offset)));
}

void DiskFile::write_back() {
  check(::ftruncate(fd_.get(), static_cast<off_t>(synced_.size())) == 0, "truncate");
  check(::pwrite(fd_.get(), synced_.data(), synced_.size(), 0) == std::ssize(synced_), "write");
}

}  // namespace annals::test
