#include "core/json_scanner.hpp"

#include <cstring>

namespace annals::core::json {

namespace {

constexpr Fault no_value = {"syntax", "a value was expected"};
constexpr Fault early_end = {"syntax", "the text ends too early"};
constexpr Fault byte_order_mark = {"syntax", "a byte order mark is not allowed"};
constexpr Fault no_member_name = {"syntax", "a member name was expected"};
constexpr Fault no_colon = {"syntax", "a colon was expected"};
constexpr Fault no_separator = {"syntax", "a comma or the end of the container was expected"};
constexpr Fault bad_literal = {"syntax", "unknown literal"};
constexpr Fault too_deep = {"depth", "nested deeper than 64"};
constexpr Fault duplicate_key = {"duplicate_key", "the member occurs twice"};

constexpr bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace

void Scanner::skip_space_run() {
  const char* const from = at_;
  while (at_ != end_ && is_space(*at_)) {
    ++at_;
  }
  if (copier_ != nullptr && at_ != from) copier_->skip(from, at_);
}

std::optional<Type> Scanner::peek() {
  if (problem_) return std::nullopt;
  skip_space();
  if (at_ == end_) {
    fail(early_end);
    return std::nullopt;
  }
  switch (*at_) {
    case '{':
      return Type::object;
    case '[':
      return Type::array;
    case '"':
      return Type::string;
    case 't':
    case 'f':
      return Type::boolean;
    case 'n':
      return Type::null;
    case '-':
      return Type::number;
    default:
      break;
  }
  if (*at_ >= '0' && *at_ <= '9') return Type::number;
  const bool mark = at_ == begin_ && std::string_view(at_, end_).starts_with("\xef\xbb\xbf");
  fail(mark ? byte_order_mark : no_value);
  return std::nullopt;
}

bool Scanner::open() {
  if (depth_ == limit_) return fail(too_deep);
  Frame& frame = frames_[depth_];
  frame.object = *at_ == '{';
  frame.items = 0;
  frame.key_escaped = false;
  frame.key = {};
  if (frame.object) frame.keys = keys_.open();
  ++at_;
  ++depth_;
  return true;
}

Scanner::Step Scanner::next() {
  if (problem_) return Step::failed;
  Frame& frame = frames_[depth_ - 1];
  const std::size_t container = depth_ - 1;
  skip_space();
  if (at_ == end_) {
    fail(early_end, at_, container);
    return Step::failed;
  }
  if (*at_ == (frame.object ? '}' : ']')) return close(frame) ? Step::end : Step::failed;
  if (frame.items > 0) {
    if (*at_ != ',') {
      fail(no_separator, at_, container);
      return Step::failed;
    }
    ++at_;
    skip_space();
  }
  if (frame.object) return next_member(frame);
  ++frame.items;
  return Step::item;
}

Scanner::Step Scanner::next_member(Frame& frame) {
  const std::size_t container = depth_ - 1;
  const auto failed = [&](const Fault& fault, const char* where, std::size_t pointer_depth) {
    fail(fault, where, pointer_depth);
    return Step::failed;
  };
  if (at_ == end_) return failed(early_end, at_, container);
  if (*at_ != '"') return failed(no_member_name, at_, container);
  const Scan scan = scan_string(at_ + 1, end_);
  if (scan.fault != nullptr) return failed(*scan.fault, scan.at, container);
  frame.key = {at_ + 1, scan.at};
  frame.key_escaped = scan.escaped;
  ++frame.items;
  if (!keys_.add(frame.keys, frame.key, frame.key_escaped)) {
    return failed(duplicate_key, at_, depth_);
  }
  at_ = scan.at + 1;
  skip_space();
  if (at_ == end_ || *at_ != ':') {
    return failed(at_ == end_ ? early_end : no_colon, at_, depth_);
  }
  ++at_;
  return Step::item;
}

bool Scanner::close(const Frame& frame) {
  if (frame.object) {
    const char* const duplicate = keys_.close(frame.keys);
    if (duplicate != nullptr) {
      const Scan scan = scan_string(duplicate, end_);
      frames_[depth_ - 1].key = {duplicate, scan.at};
      frames_[depth_ - 1].key_escaped = scan.escaped;
      return fail(duplicate_key, duplicate - 1, depth_);
    }
  }
  ++at_;
  --depth_;
  return true;
}

bool Scanner::accept(const Scan& scan) {
  if (scan.fault != nullptr) return fail(*scan.fault, scan.at, depth_);
  at_ = scan.at;
  return true;
}

bool Scanner::string(std::string_view& raw, bool& escaped) {
  const char* const first = at_ + 1;
  const Scan scan = scan_string(first, end_);
  if (!accept(scan)) return false;
  raw = {first, at_};
  escaped = scan.escaped;
  ++at_;
  return true;
}

bool Scanner::number(std::string_view& text) {
  const char* const first = at_;
  if (!accept(scan_number(at_, end_))) return false;
  text = {first, at_};
  return true;
}

bool Scanner::literal(std::string_view word) {
  if (!std::string_view(at_, end_).starts_with(word)) return fail(bad_literal);
  at_ += word.size();
  return true;
}

bool Scanner::scalar(Type type) {
  std::string_view text;
  bool escaped = false;
  switch (type) {
    case Type::string:
      return string(text, escaped);
    case Type::number:
      return number(text);
    case Type::boolean:
      return literal(*at_ == 't' ? "true" : "false");
    default:
      return literal("null");
  }
}

bool Scanner::value() {
  const std::size_t outside = depth_;
  const std::size_t limit = limit_;
  limit_ = outside + max_depth;
  do {
    const auto type = peek();
    if (!type) return false;
    const bool container = *type == Type::object || *type == Type::array;
    if (container ? !open() : !scalar(*type)) return false;
    Step step = Step::end;
    while (depth_ > outside && step == Step::end) {
      step = next();
    }
    if (step == Step::failed) return false;
  } while (depth_ > outside);
  limit_ = limit;
  return true;
}

bool Scanner::at_end() {
  if (problem_) return false;
  skip_space();
  return at_ == end_;
}

bool Scanner::fail(const Fault& fault, const char* where, std::size_t pointer_depth) {
  if (!problem_) {
    problem_ = Problem{pointer(pointer_depth), fault.rule, fault.message,
                       static_cast<std::size_t>(where - begin_)};
  }
  return false;
}

void Scanner::member_name(std::string& name) const {
  const Frame& frame = frames_[depth_ - 1];
  if (frame.key_escaped) {
    name.clear();
    append_unescaped(name, frame.key);
  } else {
    name = frame.key;
  }
}

std::string Scanner::pointer(std::size_t depth) const {
  std::string text;
  std::string name;
  for (std::size_t i = 0; i < depth; ++i) {
    const Frame& frame = frames_[i];
    if (frame.items == 0) continue;
    name.clear();
    if (frame.object) {
      append_unescaped(name, frame.key);
    } else {
      name = std::to_string(frame.items - 1);
    }
    append_token(text, name);
  }
  return text;
}

}  // namespace annals::core::json
