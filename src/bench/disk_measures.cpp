#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "bench/runs.hpp"

namespace annals::bench {

using std::chrono::steady_clock;

/// One block written over and over, each time with a sync.
Result<Figures> sync_disk(const Bench& bench) {
  const auto path = bench.folder / "sync";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return fail(ErrorCode::store_unavailable, "cannot write to " + path.string());
  const std::string block(8192, 'x');
  Latencies latencies;
  bool written = true;
  const auto begun = steady_clock::now();
  for (std::uint64_t i = 0; i < bench.count && written; ++i) {
    const auto sent = steady_clock::now();
    written = ::pwrite(file, block.data(), block.size(), 0) == static_cast<ssize_t>(block.size()) &&
              ::fdatasync(file) == 0;
    latencies.add(steady_clock::now() - sent);
  }
  const double seconds = seconds_since(begun);
  ::close(file);
  if (!written) return fail(ErrorCode::store_unavailable, "cannot write to " + path.string());
  return Figures{bench.count, seconds, latencies.percentiles()};
}

}  // namespace annals::bench
