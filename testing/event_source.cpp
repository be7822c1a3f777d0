#include "testing/event_source.hpp"

#include <charconv>
#include <system_error>

namespace annals::test {

namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

/// Takes `name` off a line that begins with it.
bool field(std::string_view& line, std::string_view name) {
  if (!line.starts_with(name)) return false;
  line.remove_prefix(name.size());
  return true;
}

}  // namespace

std::string EventSource::request(const std::string& path) {
  in_head_ = true;
  rest_.clear();
  begin_block();
  std::string out = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n";
  if (!last_id_.empty()) out += "Last-Event-ID: " + last_id_ + "\r\n";
  return out + "\r\n";
}

bool EventSource::take(std::string_view bytes, const OnEvent& on_event) {
  if (!rest_.empty()) {
    rest_ += bytes;
    bytes = rest_;
  }
  std::size_t taken = 0;
  if (in_head_) taken = take_head(bytes);
  if (!in_head_) taken += take_lines(bytes.substr(taken), on_event);
  rest_ = std::string(bytes.substr(taken));
  return fault_.empty();
}

std::size_t EventSource::take_head(std::string_view bytes) {
  constexpr std::string_view ok = "HTTP/1.1 200 ";
  constexpr std::string_view end = "\r\n\r\n";
  const auto at = bytes.find(end);
  if (at == std::string_view::npos) return 0;
  if (!bytes.starts_with(ok)) fault_ = "answered " + std::string(bytes.substr(0, bytes.find('\r')));
  in_head_ = false;
  return at + end.size();
}

std::size_t EventSource::take_lines(std::string_view bytes, const OnEvent& on_event) {
  std::size_t begin = 0;
  while (fault_.empty()) {
    const auto end = bytes.find('\n', begin);
    if (end == std::string_view::npos) break;
    const auto line = bytes.substr(begin, end - begin);
    begin = end + 1;
    if (line.empty()) {
      end_block(on_event);
    } else {
      take_field(line);
    }
  }
  return begin;
}

void EventSource::take_field(std::string_view line) {
  if (field(line, "data: ")) {
    if (field(line, R"({"seq":)")) seq_ = number(line);
  } else if (field(line, "id: ")) {
    id_ = line;
    has_id_ = true;
  } else if (field(line, "event: ")) {
    control_ = true;
  } else if (field(line, "retry: ")) {
    if (const auto told = number(line)) retry_ = std::chrono::milliseconds{*told};
  }
}

void EventSource::end_block(const OnEvent& on_event) {
  if (has_id_) last_id_ = id_;
  if (seq_ && !control_) {
    if (*seq_ != last_ + 1) {
      fault_ = "event " + std::to_string(*seq_) + " after " + std::to_string(last_);
      return;
    }
    last_ = *seq_;
    on_event(last_);
  }
  begin_block();
}

void EventSource::begin_block() {
  has_id_ = false;
  control_ = false;
  seq_.reset();
}

}  // namespace annals::test
