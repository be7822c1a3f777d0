#include "wire/member_reader.hpp"

#include <utility>

#include "core/json_text.hpp"

namespace annals::wire {

namespace {

using core::json::Reader;
using core::json::Type;

std::string_view name_of(Type type) noexcept {
  switch (type) {
    case Type::null:
      return "null";
    case Type::boolean:
      return "a boolean";
    case Type::number:
      return "a number";
    case Type::string:
      return "a text";
    case Type::array:
      return "an array";
    case Type::object:
      return "an object";
  }
  return "a value";
}

}  // namespace

void Place::violate(std::string rule, std::string message) const {
  violations_.push_back({index_, pointer_, std::move(rule), std::move(message)});
}

Place Place::member(std::string_view name) const {
  Place inner = *this;
  core::json::append_token(inner.pointer_, name);
  return inner;
}

bool expect(Reader& reader, Type wanted, const Place& place) {
  const auto type = reader.peek();
  if (!type) return false;
  if (*type == wanted) return true;
  place.violate("type",
                "must be " + std::string{name_of(wanted)} + ", not " + std::string{name_of(*type)});
  std::string_view ignored;
  reader.read_raw(ignored);
  return false;
}

bool read_text(Reader& reader, std::string& out, const Place& place) {
  return expect(reader, Type::string, place) && reader.read_string(out);
}

void read_optional_text(Reader& reader, std::optional<std::string>& out, const Place& place) {
  std::string text;
  if (read_text(reader, text, place)) out = std::move(text);
}

void take_uuid(std::string_view text, std::optional<Uuid>& out, const Place& place) {
  out = parse_uuid(text);
  if (!out) place.violate("uuid", "must be a UUID in the 8-4-4-4-12 form");
}

void take_time(std::string_view text, std::optional<Timestamp>& out, const Place& place) {
  out = parse_timestamp(text);
  if (!out) place.violate("time", "must be a time of RFC 3339, in the years 0001 to 9999");
}

void read_uuid(Reader& reader, std::optional<Uuid>& out, const Place& place) {
  std::string text;
  if (read_text(reader, text, place)) take_uuid(text, out, place);
}

void read_time(Reader& reader, std::optional<Timestamp>& out, const Place& place) {
  std::string text;
  if (read_text(reader, text, place)) take_time(text, out, place);
}

void unknown_member(Reader& reader, const Place& place) {
  place.violate("unknown_member", "there is no such member");
  std::string_view ignored;
  reader.read_raw(ignored);
}

void read_object(Reader& reader, std::string& out, const Place& place) {
  std::string_view raw;
  if (expect(reader, Type::object, place) && reader.read_raw(raw)) out = raw;
}

}  // namespace annals::wire
