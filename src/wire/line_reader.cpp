#include "wire/line_reader.hpp"

#include <utility>

namespace annals::wire {

void LineReader::take(std::string_view part) {
  if (part.empty()) return;
  begun_ = true;
  if (too_long_ || partial_.size() + part.size() > max_bytes_ + 1) {
    // One byte more may be the CR of the line's end.
    too_long_ = true;
    partial_.clear();
    return;
  }
  partial_.append(part);
}

std::optional<Line> LineReader::end_line() {
  ++lines_;
  if (!partial_.empty() && partial_.back() == '\r') partial_.pop_back();
  const bool too_long = std::exchange(too_long_, false) || partial_.size() > max_bytes_;
  Line line{lines_, std::exchange(partial_, {}), too_long};
  begun_ = false;
  if (too_long) {
    line.text.clear();
    return line;
  }
  if (line.text.find_first_not_of(" \t") == std::string::npos) return std::nullopt;
  return line;
}

std::optional<Line> LineReader::next() {
  while (!piece_.empty()) {
    const std::size_t end = piece_.find('\n');
    take(piece_.substr(0, end));
    if (end == std::string_view::npos) {
      piece_ = {};
      break;
    }
    piece_.remove_prefix(end + 1);
    if (auto line = end_line()) return line;
  }
  if (finished_ && begun_) return end_line();
  return std::nullopt;
}

}  // namespace annals::wire
