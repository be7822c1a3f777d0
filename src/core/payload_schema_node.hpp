#pragma once

#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/payload_schema_number.hpp"
#include "core/payload_schema_regex.hpp"
#include "core/payload_schema_value.hpp"

namespace annals::core {

/// A number a schema compares with, and how it wrote it.
struct SchemaNumber {
  Decimal value;
  std::string spelling;
};

/// The values of `format` that are checked.
enum class SchemaFormat : std::uint8_t { none, date_time, date, uuid };

/// One schema, taken apart. Pointers go to other nodes of the same tree; null means "not given".
struct SchemaNode {
  using NamedNodes = std::vector<std::pair<std::string, const SchemaNode*>>;
  using PatternNodes = std::vector<std::pair<SchemaRegex, const SchemaNode*>>;

  std::string pointer;  ///< Where it stands in the document it was read from.
  bool accepts_nothing = false;
  std::string reference;               ///< Target of `$ref` until it is resolved.
  const SchemaNode* target = nullptr;  ///< Replaces everything else when set.

  std::vector<std::string> types;                      ///< Empty: any.
  std::optional<std::vector<JsonValue>> one_value_of;  ///< `enum`; sorted.
  std::optional<JsonValue> constant;

  std::optional<SchemaNumber> minimum;
  std::optional<SchemaNumber> maximum;
  std::optional<SchemaNumber> exclusive_minimum;
  std::optional<SchemaNumber> exclusive_maximum;
  std::optional<SchemaNumber> multiple_of;

  std::optional<std::uint64_t> min_length;
  std::optional<std::uint64_t> max_length;
  std::optional<SchemaRegex> pattern;
  SchemaFormat format = SchemaFormat::none;

  const SchemaNode* items = nullptr;
  std::optional<std::vector<const SchemaNode*>> tuple;
  const SchemaNode* additional_items = nullptr;
  const SchemaNode* contains = nullptr;
  std::optional<std::uint64_t> min_items;
  std::optional<std::uint64_t> max_items;
  bool unique_items = false;

  NamedNodes properties;  ///< Sorted by name.
  PatternNodes pattern_properties;
  const SchemaNode* additional_properties = nullptr;
  const SchemaNode* property_names = nullptr;
  std::vector<std::string> required;
  std::optional<std::uint64_t> min_properties;
  std::optional<std::uint64_t> max_properties;
  std::vector<std::pair<std::string, std::vector<std::string>>> dependent_names;
  NamedNodes dependent_schemas;

  std::vector<const SchemaNode*> all_of;
  std::vector<const SchemaNode*> any_of;
  std::vector<const SchemaNode*> one_of;
  const SchemaNode* negated = nullptr;      ///< `not`.
  const SchemaNode* condition = nullptr;    ///< `if`.
  const SchemaNode* consequence = nullptr;  ///< `then`.
  const SchemaNode* alternative = nullptr;  ///< `else`.
};

/// All nodes of one schema; the first is the root.
using SchemaTree = std::deque<SchemaNode>;

/// Why a schema cannot be used.
struct SchemaFault {
  std::string pointer;  ///< RFC 6901, in the document.
  std::string message;
};

/// Takes a JSON Schema (draft 07) apart. `pointer` is where it stands in its document, for faults.
/// Refused: keywords the draft does not have, references that leave the schema or do not end at a
/// schema, schemas that apply themselves to the same value, patterns that are not safe.
[[nodiscard]] std::expected<SchemaTree, SchemaFault> compile_schema(const JsonValue& schema,
                                                                    const std::string& pointer);

}  // namespace annals::core
