#include "core/json.hpp"

namespace annals::core::json {

namespace {

constexpr Fault not_an_object = {"type", "must be an object"};
constexpr Fault not_an_array = {"type", "must be an array"};
constexpr Fault not_a_string = {"type", "must be a string"};
constexpr Fault not_a_number = {"type", "must be a number"};
constexpr Fault not_a_boolean = {"type", "must be true or false"};
constexpr Fault not_null = {"type", "must be null"};
constexpr Fault trailing = {"trailing", "nothing may follow the value"};

}  // namespace

Reader::Reader(std::string_view text) : scanner_(text) {}

bool Reader::expect(Type type, const Fault& fault) {
  const auto actual = scanner_.peek();
  if (!actual) return false;
  if (*actual != type) return scanner_.fail(fault);
  unread_ = false;
  return true;
}

bool Reader::skip_unread() {
  if (!unread_) return true;
  unread_ = false;
  return scanner_.value();
}

std::optional<Type> Reader::peek() {
  return scanner_.peek();
}

bool Reader::begin_object() {
  return expect(Type::object, not_an_object) && scanner_.open();
}

bool Reader::next_member(std::string& name) {
  if (!next_element()) return false;
  scanner_.member_name(name);
  return true;
}

bool Reader::begin_array() {
  return expect(Type::array, not_an_array) && scanner_.open();
}

bool Reader::next_element() {
  if (!skip_unread()) return false;
  unread_ = scanner_.next() == Scanner::Step::item;
  return unread_;
}

bool Reader::read_string(std::string& out) {
  std::string_view raw;
  bool escaped = false;
  if (!expect(Type::string, not_a_string) || !scanner_.string(raw, escaped)) return false;
  if (escaped) {
    out.clear();
    append_unescaped(out, raw);
  } else {
    out = raw;
  }
  return true;
}

bool Reader::read_number(std::string_view& out) {
  return expect(Type::number, not_a_number) && scanner_.number(out);
}

bool Reader::read_boolean(bool& out) {
  if (!expect(Type::boolean, not_a_boolean)) return false;
  out = *scanner_.position() == 't';
  return scanner_.scalar(Type::boolean);
}

bool Reader::read_null() {
  return expect(Type::null, not_null) && scanner_.scalar(Type::null);
}

bool Reader::read_raw(std::string_view& out) {
  if (!scanner_.peek()) return false;
  const char* const first = scanner_.position();
  unread_ = false;
  if (!scanner_.value()) return false;
  out = {first, scanner_.position()};
  return true;
}

bool Reader::finish() {
  if (!skip_unread()) return false;
  return scanner_.at_end() || scanner_.fail(trailing);
}

}  // namespace annals::core::json
