#pragma once

#include <compare>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json.hpp"
#include "core/payload_schema_number.hpp"

namespace annals::core {

/// A JSON text taken apart, for those who look at it from many sides: the catalogue's document and
/// payloads that have a schema. Equality and order are those of JSON Schema: numbers by value,
/// objects without regard to the order of their members. Nesting is bounded by the reader. Value.
class JsonValue {
 public:
  struct Member;

  /// Reads one whole text under every rule of `json::Reader`.
  static std::expected<JsonValue, json::Problem> parse(std::string_view text);

  /// A string value.
  static JsonValue of_string(std::string text);

  [[nodiscard]] json::Type type() const noexcept { return type_; }
  [[nodiscard]] bool is(json::Type type) const noexcept { return type_ == type; }

  [[nodiscard]] bool boolean() const noexcept { return boolean_; }
  /// A string's content, or a number's spelling.
  [[nodiscard]] const std::string& string() const noexcept { return string_; }
  /// Only for numbers.
  [[nodiscard]] const Decimal& number() const noexcept { return number_; }
  /// Empty but for arrays.
  [[nodiscard]] const std::vector<JsonValue>& items() const noexcept { return items_; }
  /// Sorted by name; empty but for objects.
  [[nodiscard]] const std::vector<Member>& members() const noexcept { return members_; }

  /// The member of an object, or null. Valid as long as this object.
  [[nodiscard]] const JsonValue* find(std::string_view name) const noexcept;

  friend bool operator==(const JsonValue& left, const JsonValue& right) noexcept {
    return (left <=> right) == 0;
  }
  /// Any total order that agrees with equality.
  friend std::strong_ordering operator<=>(const JsonValue& left, const JsonValue& right) noexcept;

 private:
  static JsonValue read(json::Reader& reader);

  json::Type type_ = json::Type::null;
  bool boolean_ = false;
  std::string string_;
  Decimal number_{"0"};
  std::vector<JsonValue> items_;
  std::vector<Member> members_;
};

struct JsonValue::Member {
  std::string name;
  JsonValue value;

  friend bool operator==(const Member&, const Member&) = default;
  friend std::strong_ordering operator<=>(const Member& left, const Member& right) noexcept;
};

}  // namespace annals::core
