#include "client/event_stream.hpp"

#include <charconv>
#include <system_error>
#include <utility>

#include "client/utf8.hpp"

namespace annals::client {

namespace {

/// More than any frame of a server can have: the bound of what is buffered.
constexpr std::size_t max_frame_bytes = std::size_t{64} * 1024 * 1024;

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// ASCII digits only; one too large is as good as none.
std::optional<std::uint64_t> parse_digits(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

bool EventStreamParser::push(std::string_view bytes, std::vector<Frame>& frames) {
  if (after_carriage_return_ && !bytes.empty()) {
    if (bytes.front() == '\n') bytes.remove_prefix(1);
    after_carriage_return_ = false;
  }
  for (auto end = bytes.find_first_of("\r\n"); end != std::string_view::npos;
       end = bytes.find_first_of("\r\n")) {
    line_ += bytes.substr(0, end);
    const bool carriage_return = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    end_line(frames);
    if (!carriage_return) continue;
    if (bytes.starts_with('\n')) {
      bytes.remove_prefix(1);
    } else {
      // A line feed may still follow in the next bytes; the line ends here all the same.
      after_carriage_return_ = bytes.empty();
    }
  }
  line_ += bytes;
  return line_.size() + data_.size() <= max_frame_bytes;
}

void EventStreamParser::end_line(std::vector<Frame>& frames) {
  std::string_view line = line_;
  if (std::exchange(first_line_, false) && line.starts_with(byte_order_mark)) {
    line.remove_prefix(byte_order_mark.size());
  }
  if (line.empty()) {
    dispatch(frames);
  } else if (const auto colon = line.find(':'); colon != 0) {
    std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    field(line.substr(0, colon), value);
  }
  line_.clear();
}

void EventStreamParser::field(std::string_view name, std::string_view value) {
  if (name == "data") {
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  } else if (name == "event") {
    type_ = value;
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos) id_buffer_ = value;
  } else if (name == "retry") {
    if (const auto milliseconds = parse_digits(value)) retry_ = milliseconds;
  }
}

void EventStreamParser::dispatch(std::vector<Frame>& frames) {
  last_id_ = id_buffer_;
  if (has_data_) {
    replace_malformed(data_);
    frames.push_back({type_.empty() ? "message" : std::move(type_), std::move(data_), last_id_});
  }
  data_.clear();
  type_.clear();
  has_data_ = false;
}

}  // namespace annals::client
