#include "store/index/run_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>

namespace annals::store::index {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view run_suffix = ".run";
constexpr std::string_view draft_suffix = ".draft";

/// Times of folders are coarse: a change soon after another may not move them.
constexpr std::chrono::milliseconds time_grain{50};

std::string base_name(std::uint64_t from, std::uint64_t to) {
  std::string name(48, '\0');
  const int size =
      std::snprintf(name.data(), name.size(), "%016llu-%016llu",
                    static_cast<unsigned long long>(from), static_cast<unsigned long long>(to));
  name.resize(static_cast<std::size_t>(size));
  return name;
}

std::vector<fs::path> files_with(const fs::path& folder, std::string_view suffix) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().native().ends_with(suffix)) files.push_back(entry->path());
  }
  return files;
}

/// Ascending and without those that a larger one contains.
RunList without_overlaps(RunList runs) {
  std::ranges::sort(runs, [](const auto& left, const auto& right) {
    return std::pair(left->info().from, right->info().to) <
           std::pair(right->info().from, left->info().to);
  });
  RunList kept;
  for (auto& run : runs) {
    if (kept.empty() || run->info().from > kept.back()->info().to) kept.push_back(std::move(run));
  }
  return kept;
}

std::unexpected<Error> unavailable(const fs::path& path, int error) {
  return fail(ErrorCode::store_unavailable,
              "'" + path.string() + "': " + std::generic_category().message(error));
}

}  // namespace

const Run* run_at(const RunList& runs, std::uint64_t seq) {
  const auto from = [](const std::shared_ptr<const Run>& run) { return run->info().from; };
  const auto behind = std::ranges::upper_bound(runs, seq, {}, from);
  if (behind == runs.begin()) return nullptr;
  const auto& run = *std::prev(behind);
  return run->info().to >= seq ? run.get() : nullptr;
}

Stretch stretch_from(const RunList& runs, std::uint64_t first, std::uint64_t last) {
  const auto to = [](const std::shared_ptr<const Run>& run) { return run->info().to; };
  const auto next = std::ranges::lower_bound(runs, first, {}, to);
  if (next == runs.end()) return {nullptr, first, last};
  const auto& info = (*next)->info();
  if (info.from <= first) return {next->get(), first, std::min(info.to, last)};
  return {nullptr, first, std::min(info.from - 1, last)};
}

Stretch stretch_to(const RunList& runs, std::uint64_t first, std::uint64_t last) {
  const auto from = [](const std::shared_ptr<const Run>& run) { return run->info().from; };
  const auto behind = std::ranges::upper_bound(runs, last, {}, from);
  if (behind == runs.begin()) return {nullptr, first, last};
  const auto& before = *std::prev(behind);
  const auto& info = before->info();
  if (info.to >= last) return {before.get(), std::max(info.from, first), last};
  return {nullptr, std::max(info.to + 1, first), last};
}

std::shared_ptr<const RunList> RunFolder::runs(const Fits& fits) {
  const std::lock_guard lock(mutex_);
  std::error_code error;
  const auto time = fs::last_write_time(path_, error);
  if (error) {
    runs_ = std::make_shared<const RunList>();
    settled_ = false;
    return runs_;
  }
  const bool damaged = std::ranges::any_of(*runs_, [](const auto& run) { return run->damaged(); });
  if (!settled_ || time != looked_at_ || damaged) {
    looked_at_ = time;
    settled_ = fs::file_time_type::clock::now() - time > time_grain;
    reload(fits);
  }
  return runs_;
}

void RunFolder::forget() {
  const std::lock_guard lock(mutex_);
  settled_ = false;
}

void RunFolder::reload(const Fits& fits) {
  std::map<fs::path, std::shared_ptr<const Run>> open;
  for (const auto& run : *runs_)
    open.emplace(run->path(), run);
  RunList usable;
  for (const auto& file : files_with(path_, run_suffix)) {
    if (const auto known = open.find(file); known != open.end()) {
      if (!known->second->damaged()) usable.push_back(known->second);
      continue;
    }
    auto run = Run::open(file);
    if (run && fits((*run)->info())) usable.push_back(std::move(*run));
  }
  runs_ = std::make_shared<const RunList>(without_overlaps(std::move(usable)));
}

void RunFolder::tidy(const Fits& fits) {
  forget();
  std::set<fs::path> used;
  for (const auto& run : *runs(fits))
    used.insert(run->path());
  std::error_code ignored;
  for (const auto& file : files_with(path_, run_suffix)) {
    if (!used.contains(file)) fs::remove(file, ignored);
  }
  for (const auto& file : files_with(path_, draft_suffix))
    fs::remove(file, ignored);
}

fs::path RunFolder::final_name(std::uint64_t from, std::uint64_t to) const {
  return path_ / (base_name(from, to) + std::string(run_suffix));
}

fs::path RunFolder::draft_name(std::uint64_t from, std::uint64_t to) const {
  return path_ / (base_name(from, to) + std::string(draft_suffix));
}

Result<void> RunFolder::publish(const fs::path& draft, std::uint64_t from, std::uint64_t to) {
  std::error_code error;
  fs::rename(draft, final_name(from, to), error);
  if (error) return unavailable(draft, error.value());
  forget();
  return {};
}

Result<bool> FolderLock::try_acquire(const fs::path& folder) {
  if (descriptor_ >= 0) return true;
  std::error_code error;
  fs::create_directory(folder, error);
  if (error) return unavailable(folder, error.value());
  const auto name = folder / "lock";
  const int descriptor = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return unavailable(name, errno);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const int failed = errno;
    ::close(descriptor);
    if (failed == EWOULDBLOCK) return false;
    return unavailable(name, failed);
  }
  descriptor_ = descriptor;
  return true;
}

void FolderLock::release() noexcept {
  if (const int descriptor = std::exchange(descriptor_, -1); descriptor >= 0) ::close(descriptor);
}

}  // namespace annals::store::index
