#include "core/payload_schema_value.hpp"

#include <algorithm>
#include <utility>

namespace annals::core {

// After a problem every call of the reader fails, so what is returned then is never looked at.
JsonValue JsonValue::read(json::Reader& reader) {
  JsonValue value;
  const auto type = reader.peek();
  if (!type) return value;
  value.type_ = *type;
  switch (*type) {
    case json::Type::null:
      reader.read_null();
      break;
    case json::Type::boolean:
      reader.read_boolean(value.boolean_);
      break;
    case json::Type::number: {
      std::string_view spelling;
      if (reader.read_number(spelling)) {
        value.number_ = Decimal(spelling);
        value.string_ = spelling;
      }
      break;
    }
    case json::Type::string:
      reader.read_string(value.string_);
      break;
    case json::Type::array:
      reader.begin_array();
      while (reader.next_element())
        value.items_.push_back(read(reader));
      break;
    case json::Type::object: {
      reader.begin_object();
      std::string name;
      while (reader.next_member(name)) {
        JsonValue member = read(reader);
        value.members_.push_back({std::move(name), std::move(member)});
        name.clear();
      }
      std::ranges::sort(value.members_, {}, &Member::name);
      break;
    }
  }
  return value;
}

std::expected<JsonValue, json::Problem> JsonValue::parse(std::string_view text) {
  json::Reader reader(text);
  JsonValue value = read(reader);
  if (!reader.problem()) reader.finish();
  if (reader.problem()) return std::unexpected(*reader.problem());
  return value;
}

JsonValue JsonValue::of_string(std::string text) {
  JsonValue value;
  value.type_ = json::Type::string;
  value.string_ = std::move(text);
  return value;
}

const JsonValue* JsonValue::find(std::string_view name) const noexcept {
  const auto member = std::ranges::lower_bound(members_, name, {}, &Member::name);
  return member != members_.end() && member->name == name ? &member->value : nullptr;
}

std::strong_ordering operator<=>(const JsonValue& left, const JsonValue& right) noexcept {
  if (const auto order = left.type_ <=> right.type_; order != 0) return order;
  switch (left.type_) {
    case json::Type::null:
      return std::strong_ordering::equal;
    case json::Type::boolean:
      return left.boolean_ <=> right.boolean_;
    case json::Type::number:
      return left.number_ <=> right.number_;
    case json::Type::string:
      return left.string_ <=> right.string_;
    case json::Type::array:
      return left.items_ <=> right.items_;
    case json::Type::object:
      return left.members_ <=> right.members_;
  }
  return std::strong_ordering::equal;
}

std::strong_ordering operator<=>(const JsonValue::Member& left,
                                 const JsonValue::Member& right) noexcept {
  if (const auto order = left.name <=> right.name; order != 0) return order;
  return left.value <=> right.value;
}

}  // namespace annals::core
