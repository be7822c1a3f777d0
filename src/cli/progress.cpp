#include "cli/progress.hpp"

#include "cli/text.hpp"

namespace annals::cli {
namespace {

constexpr std::chrono::milliseconds redraw_after{100};

std::string remaining(std::uint64_t seconds) {
  if (seconds < 60) return std::to_string(seconds) + "s";
  if (seconds < 3600) {
    return std::to_string(seconds / 60) + "m " + std::to_string(seconds % 60) + "s";
  }
  return std::to_string(seconds / 3600) + "h " + std::to_string(seconds / 60 % 60) + "m";
}

}  // namespace

std::string progress_text(std::uint64_t done, std::uint64_t total,
                          std::chrono::milliseconds elapsed) {
  std::string out = grouped(done) + " of " + grouped(total);
  if (total > 0) {
    out += "  " +
           std::to_string(static_cast<std::uint64_t>(100.0 * static_cast<double>(done) /
                                                     static_cast<double>(total))) +
           " %";
  }
  const double seconds = static_cast<double>(elapsed.count()) / 1000.0;
  if (done == 0 || seconds <= 0) return out;
  const double rate = static_cast<double>(done) / seconds;
  out += "  " + grouped(static_cast<std::uint64_t>(rate)) + "/s";
  if (total > done) {
    out += "  " + remaining(static_cast<std::uint64_t>(static_cast<double>(total - done) / rate)) +
           " left";
  }
  return out;
}

Progress::Progress(Streams& streams)
    : err_(streams.err),
      visible_(streams.err_is_terminal),
      started_(std::chrono::steady_clock::now()),
      next_(started_ + redraw_after) {}

Progress::~Progress() {
  if (drawn_) err_ << "\r\x1b[K" << std::flush;
}

void Progress::update(std::uint64_t done, std::uint64_t total) {
  if (!visible_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + redraw_after;
  drawn_ = true;
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - started_);
  err_ << "\r\x1b[K" << progress_text(done, total, elapsed) << std::flush;
}

}  // namespace annals::cli
