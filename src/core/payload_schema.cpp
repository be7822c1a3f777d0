#include "core/payload_schema.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "annals/time.hpp"
#include "annals/uuid.hpp"

namespace annals::core {
namespace {

using json::Type;

/// How much of cheap work makes a step, the cost of one visit of a schema.
constexpr std::size_t bytes_per_step = 16;
constexpr std::size_t states_per_step = 64;

std::size_t search_steps(const SchemaRegex& regex, std::string_view text) {
  return 1 + text.size() * regex.cost() / states_per_step;
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; }));
}

bool has_type(const JsonValue& value, std::string_view name) {
  switch (value.type()) {
    case Type::null:
      return name == "null";
    case Type::boolean:
      return name == "boolean";
    case Type::number:
      return name == "number" || (name == "integer" && value.number().is_integer());
    case Type::string:
      return name == "string";
    case Type::array:
      return name == "array";
    case Type::object:
      return name == "object";
  }
  return false;
}

bool has_format(std::string_view text, SchemaFormat format) {
  switch (format) {
    case SchemaFormat::none:
      return true;
    case SchemaFormat::date_time:
      return parse_timestamp(text).has_value();
    case SchemaFormat::date:
      return text.size() == 10 && parse_timestamp(std::string(text) + "T00:00:00Z").has_value();
    case SchemaFormat::uuid:
      return parse_uuid(text).has_value();
  }
  return true;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) {
    if (!text.empty()) text += " or ";
    text += name;
  }
  return text;
}

/// One run over one payload. Recursion is bounded by the payload's depth times the longest chain of
/// schemas over one value.
class Run {
 public:
  Run(std::size_t index, std::vector<Violation>& violations)
      : index_(index),
        violations_(violations),
        listed_before_(violations.size()) {}

  bool check(const SchemaNode& schema, const JsonValue& value);

 private:
  bool check_value(const SchemaNode& schema, const JsonValue& value);
  bool check_number(const SchemaNode& schema, const Decimal& number);
  bool check_string(const SchemaNode& schema, const std::string& text);
  bool check_array(const SchemaNode& schema, const JsonValue& array);
  bool check_items(const SchemaNode& schema, const std::vector<JsonValue>& items);
  bool check_unique(const std::vector<JsonValue>& items);
  bool check_object(const SchemaNode& schema, const JsonValue& object);
  bool check_member(const SchemaNode& schema, const JsonValue::Member& member);
  bool check_presence(const SchemaNode& schema, const JsonValue& object);
  bool check_combined(const SchemaNode& schema, const JsonValue& value);
  bool check_condition(const SchemaNode& schema, const JsonValue& value);

  /// Checks a value below this one, with the pointer moved there.
  bool descend(const SchemaNode* schema, const JsonValue& value, std::string_view token);
  /// Only whether it matches, nothing is listed.
  bool probe(const SchemaNode& schema, const JsonValue& value);
  /// How many of the schemas match.
  std::size_t count(const std::vector<const SchemaNode*>& schemas, const JsonValue& value);

  /// Lists a violation, unless a probe runs; always false. The message is `rule` and `limit`.
  bool refuse(std::string_view keyword, std::string_view rule, std::string_view limit = {});
  void list(std::string_view keyword, std::string_view rule, std::string_view limit);
  /// Counts work; false when there was too much of it, which is listed once.
  bool spend(std::size_t steps);
  [[nodiscard]] bool spent() const noexcept { return steps_ >= PayloadSchema::max_steps; }

  std::size_t index_;
  std::vector<Violation>& violations_;
  std::size_t listed_before_;
  std::string pointer_ = "/payload";
  std::size_t quiet_ = 0;
  std::size_t steps_ = 0;
};

bool Run::refuse(std::string_view keyword, std::string_view rule, std::string_view limit) {
  // Out of steps, probes fail for no reason of the payload's.
  if (quiet_ == 0 && !spent()) list(keyword, rule, limit);
  return false;
}

void Run::list(std::string_view keyword, std::string_view rule, std::string_view limit) {
  if (violations_.size() - listed_before_ >= PayloadSchema::max_violations) return;
  std::string message = "The catalogue's schema: ";
  message.append(rule).append(limit);
  violations_.push_back({.index = index_,
                         .pointer = pointer_,
                         .rule = "schema." + std::string(keyword),
                         .message = std::move(message)});
}

bool Run::spend(std::size_t steps) {
  if (spent()) return false;
  steps_ += steps;
  if (!spent()) return true;
  list("steps", "checking takes more steps than ", std::to_string(PayloadSchema::max_steps));
  return false;
}

bool Run::descend(const SchemaNode* schema, const JsonValue& value, std::string_view token) {
  if (schema == nullptr) return true;
  const std::size_t length = pointer_.size();
  json::append_token(pointer_, token);
  const bool matches = check(*schema, value);
  pointer_.resize(length);
  return matches;
}

bool Run::probe(const SchemaNode& schema, const JsonValue& value) {
  ++quiet_;
  const bool matches = check(schema, value);
  --quiet_;
  return matches;
}

std::size_t Run::count(const std::vector<const SchemaNode*>& schemas, const JsonValue& value) {
  return static_cast<std::size_t>(std::ranges::count_if(
      schemas, [&](const SchemaNode* schema) { return probe(*schema, value); }));
}

bool Run::check(const SchemaNode& schema, const JsonValue& value) {
  if (!spend(1)) return false;
  if (schema.target != nullptr) return check(*schema.target, value);
  if (schema.accepts_nothing) return refuse("false", "no such member or element is allowed");
  bool valid = check_value(schema, value);
  switch (value.type()) {
    case Type::number:
      valid &= check_number(schema, value.number());
      break;
    case Type::string:
      valid &= check_string(schema, value.string());
      break;
    case Type::array:
      valid &= check_array(schema, value);
      break;
    case Type::object:
      valid &= check_object(schema, value);
      break;
    case Type::null:
    case Type::boolean:
      break;
  }
  valid &= check_combined(schema, value);
  valid &= check_condition(schema, value);
  return valid;
}

bool Run::check_value(const SchemaNode& schema, const JsonValue& value) {
  bool valid = true;
  if (!schema.types.empty()) {
    const bool any =
        std::ranges::any_of(schema.types, [&](const auto& name) { return has_type(value, name); });
    valid &= any || refuse("type", "the type must be ", joined(schema.types));
  }
  if (schema.one_value_of) {
    valid &= std::ranges::binary_search(*schema.one_value_of, value) ||
             refuse("enum", "must be one of the listed values");
  }
  if (schema.constant) {
    valid &= *schema.constant == value || refuse("const", "must be the one value that is given");
  }
  return valid;
}

bool Run::check_number(const SchemaNode& schema, const Decimal& number) {
  bool valid = true;
  if (const auto& bound = schema.minimum) {
    valid &= number >= bound->value || refuse("minimum", "must be at least ", bound->spelling);
  }
  if (const auto& bound = schema.maximum) {
    valid &= number <= bound->value || refuse("maximum", "must be at most ", bound->spelling);
  }
  if (const auto& bound = schema.exclusive_minimum) {
    valid &=
        number > bound->value || refuse("exclusiveMinimum", "must be more than ", bound->spelling);
  }
  if (const auto& bound = schema.exclusive_maximum) {
    valid &=
        number < bound->value || refuse("exclusiveMaximum", "must be less than ", bound->spelling);
  }
  if (const auto& divisor = schema.multiple_of) {
    valid &= number.is_multiple_of(divisor->value) ||
             refuse("multipleOf", "must be a multiple of ", divisor->spelling);
  }
  return valid;
}

bool Run::check_string(const SchemaNode& schema, const std::string& text) {
  if (!spend(text.size() / bytes_per_step)) return false;
  bool valid = true;
  if (schema.min_length) {
    valid &= code_points(text) >= *schema.min_length ||
             refuse("minLength", "characters, at least: ", std::to_string(*schema.min_length));
  }
  if (schema.max_length) {
    valid &= code_points(text) <= *schema.max_length ||
             refuse("maxLength", "characters, at most: ", std::to_string(*schema.max_length));
  }
  if (schema.pattern) {
    if (!spend(search_steps(*schema.pattern, text))) return false;
    valid &= schema.pattern->found_in(text) || refuse("pattern", "must match the pattern");
  }
  valid &= has_format(text, schema.format) || refuse("format", "must have the format");
  return valid;
}

bool Run::check_array(const SchemaNode& schema, const JsonValue& array) {
  const auto& items = array.items();
  bool valid = check_items(schema, items);
  if (schema.min_items) {
    valid &= items.size() >= *schema.min_items ||
             refuse("minItems", "elements, at least: ", std::to_string(*schema.min_items));
  }
  if (schema.max_items) {
    valid &= items.size() <= *schema.max_items ||
             refuse("maxItems", "elements, at most: ", std::to_string(*schema.max_items));
  }
  if (schema.unique_items) {
    valid &= check_unique(items) || refuse("uniqueItems", "elements must differ");
  }
  if (schema.contains != nullptr) {
    const bool any = std::ranges::any_of(
        items, [&](const JsonValue& item) { return probe(*schema.contains, item); });
    valid &= any || refuse("contains", "an element must match");
  }
  return valid;
}

bool Run::check_items(const SchemaNode& schema, const std::vector<JsonValue>& items) {
  bool valid = true;
  for (std::size_t i = 0; i < items.size() && !spent(); ++i) {
    const SchemaNode* item_schema = schema.items;
    if (schema.tuple) {
      item_schema = i < schema.tuple->size() ? (*schema.tuple)[i] : schema.additional_items;
    }
    valid &= descend(item_schema, items[i], std::to_string(i));
  }
  return valid;
}

bool Run::check_unique(const std::vector<JsonValue>& items) {
  if (!spend(items.size())) return false;
  std::vector<const JsonValue*> sorted;
  sorted.reserve(items.size());
  for (const auto& item : items)
    sorted.push_back(&item);
  std::ranges::sort(sorted, [](const auto* left, const auto* right) { return *left < *right; });
  return std::ranges::adjacent_find(sorted, [](const auto* left, const auto* right) {
           return *left == *right;
         }) == sorted.end();
}

bool Run::check_object(const SchemaNode& schema, const JsonValue& object) {
  const auto& members = object.members();
  bool valid = check_presence(schema, object);
  for (const auto& member : members) {
    if (spent()) return false;
    valid &= check_member(schema, member);
  }
  if (schema.min_properties) {
    valid &= members.size() >= *schema.min_properties ||
             refuse("minProperties", "members, at least: ", std::to_string(*schema.min_properties));
  }
  if (schema.max_properties) {
    valid &= members.size() <= *schema.max_properties ||
             refuse("maxProperties", "members, at most: ", std::to_string(*schema.max_properties));
  }
  return valid;
}

bool Run::check_member(const SchemaNode& schema, const JsonValue::Member& member) {
  bool valid = true;
  bool named = false;
  const auto property = std::ranges::lower_bound(schema.properties, member.name, {},
                                                 &SchemaNode::NamedNodes::value_type::first);
  if (property != schema.properties.end() && property->first == member.name) {
    named = true;
    valid &= descend(property->second, member.value, member.name);
  }
  for (const auto& [pattern, pattern_schema] : schema.pattern_properties) {
    if (!spend(search_steps(pattern, member.name))) return false;
    if (!pattern.found_in(member.name)) continue;
    named = true;
    valid &= descend(pattern_schema, member.value, member.name);
  }
  if (!named) valid &= descend(schema.additional_properties, member.value, member.name);
  return valid;
}

bool Run::check_presence(const SchemaNode& schema, const JsonValue& object) {
  bool valid = true;
  for (const auto& name : schema.required) {
    valid &= object.find(name) != nullptr || refuse("required", "needs the member ", name);
  }
  for (const auto& [name, needed] : schema.dependent_names) {
    if (object.find(name) == nullptr) continue;
    for (const auto& other : needed) {
      valid &= object.find(other) != nullptr ||
               refuse("dependencies", "with " + name + " it needs the member ", other);
    }
  }
  for (const auto& [name, dependent] : schema.dependent_schemas) {
    if (object.find(name) != nullptr) valid &= check(*dependent, object);
  }
  if (schema.property_names != nullptr) {
    const bool all = std::ranges::all_of(object.members(), [&](const auto& member) {
      return probe(*schema.property_names, JsonValue::of_string(member.name));
    });
    valid &= all || refuse("propertyNames", "a member's name does not match");
  }
  return valid;
}

bool Run::check_combined(const SchemaNode& schema, const JsonValue& value) {
  bool valid = true;
  for (const auto* part : schema.all_of)
    valid &= check(*part, value);
  if (!schema.any_of.empty()) {
    const bool any = std::ranges::any_of(
        schema.any_of, [&](const SchemaNode* part) { return probe(*part, value); });
    valid &= any || refuse("anyOf", "must match one of the alternatives");
  }
  if (!schema.one_of.empty()) {
    valid &= count(schema.one_of, value) == 1 ||
             refuse("oneOf", "must match exactly one of the alternatives");
  }
  if (schema.negated != nullptr) {
    valid &= !probe(*schema.negated, value) || refuse("not", "must not match what is excluded");
  }
  return valid;
}

bool Run::check_condition(const SchemaNode& schema, const JsonValue& value) {
  if (schema.condition == nullptr) return true;
  const SchemaNode* branch =
      probe(*schema.condition, value) ? schema.consequence : schema.alternative;
  return branch == nullptr || check(*branch, value);
}

}  // namespace

PayloadSchema::PayloadSchema(SchemaTree tree) : tree_(std::move(tree)) {}

std::expected<std::shared_ptr<const PayloadSchema>, SchemaFault> PayloadSchema::compile(
    const JsonValue& schema, const std::string& pointer) {
  auto tree = compile_schema(schema, pointer);
  if (!tree) return std::unexpected(std::move(tree.error()));
  return std::shared_ptr<const PayloadSchema>(new PayloadSchema(std::move(*tree)));
}

void PayloadSchema::check(std::string_view payload, std::size_t index,
                          std::vector<Violation>& violations) const {
  const auto value = JsonValue::parse(payload);
  if (!value) {
    violations.push_back({.index = index,
                          .pointer = "/payload" + value.error().pointer,
                          .rule = value.error().rule,
                          .message = value.error().message});
    return;
  }
  Run(index, violations).check(tree_.front(), *value);
}

}  // namespace annals::core
