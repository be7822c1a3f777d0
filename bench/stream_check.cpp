// Reads a stream of events from standard input, checks that no seq is missing or repeated, and
// stops at LAST. Prints one line of JSON. Time counts from the first byte.
//
//   curl -sN .../v1/events/stream?after=0 | stream_check sse 1000000
//   curl -sN -H 'Accept: application/x-ndjson' .../v1/events | stream_check ndjson 1000000

#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

/// Takes lines and counts those that begin with `mark` and the next number, up to `end`.
class Counter {
 public:
  Counter(std::string_view mark, std::uint64_t end) : mark_(mark), end_(end) {}

  void line(std::string_view line) {
    // Behind the last event comes the frame that says so, with the same id.
    if (last_ == end_ || !line.starts_with(mark_)) return;
    std::uint64_t seq = 0;
    std::from_chars(line.data() + mark_.size(), line.data() + line.size(), seq);
    if (seq != last_ + 1) {
      std::fprintf(stderr, "%llu comes after %llu\n", static_cast<unsigned long long>(seq),
                   static_cast<unsigned long long>(last_));
      std::exit(1);
    }
    last_ = seq;
  }

  [[nodiscard]] std::uint64_t last() const noexcept { return last_; }

 private:
  std::string_view mark_;
  std::uint64_t end_;
  std::uint64_t last_ = 0;
};

/// Cuts what arrives into lines; keeps the beginning of one that is not whole.
class Lines {
 public:
  void take(std::string_view bytes, Counter& counter) {
    while (true) {
      const auto end = bytes.find('\n');
      if (end == std::string_view::npos) break;
      if (rest_.empty()) {
        counter.line(bytes.substr(0, end));
      } else {
        rest_ += bytes.substr(0, end);
        counter.line(rest_);
        rest_.clear();
      }
      bytes.remove_prefix(end + 1);
    }
    rest_ += bytes;
  }

 private:
  std::string rest_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view kind = argc == 3 ? argv[1] : "";
  if (kind != "sse" && kind != "ndjson") {
    std::fputs("usage: stream_check sse|ndjson LAST\n", stderr);
    return 2;
  }
  const std::uint64_t end = std::strtoull(argv[2], nullptr, 10);
  Counter counter(kind == "sse" ? R"(id: )" : R"({"seq":)", end);
  Lines lines;
  std::vector<char> buffer(std::size_t{1} << 20U);
  Clock::time_point begun;
  while (counter.last() < end) {
    const auto count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count <= 0) break;
    if (begun == Clock::time_point{}) begun = Clock::now();
    lines.take({buffer.data(), static_cast<std::size_t>(count)}, counter);
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  if (counter.last() != end) {
    std::fprintf(stderr, "the stream ended after %llu\n",
                 static_cast<unsigned long long>(counter.last()));
    return 1;
  }
  std::printf(R"({"count":%llu,"seconds":%.4f,"rate":%.1f})"
              "\n",
              static_cast<unsigned long long>(end), seconds, static_cast<double>(end) / seconds);
  return 0;
}
