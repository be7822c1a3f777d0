#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/json_text.hpp"
#include "core/payload_schema_node.hpp"
#include "core/text_forms.hpp"

namespace annals::core {
namespace {

using json::Type;

constexpr std::size_t max_divisor_digits = 18;

/// Schemas that apply to the same value through each other: the depth of evaluation is this times
/// the depth of the payload.
constexpr std::size_t max_in_place = 16;

struct NumberKeyword {
  std::string_view name;
  std::optional<SchemaNumber> SchemaNode::* member;
};
constexpr std::array number_keywords{
    NumberKeyword{"minimum", &SchemaNode::minimum},
    NumberKeyword{"maximum", &SchemaNode::maximum},
    NumberKeyword{"exclusiveMinimum", &SchemaNode::exclusive_minimum},
    NumberKeyword{"exclusiveMaximum", &SchemaNode::exclusive_maximum},
    NumberKeyword{"multipleOf", &SchemaNode::multiple_of},
};

struct CountKeyword {
  std::string_view name;
  std::optional<std::uint64_t> SchemaNode::* member;
};
constexpr std::array count_keywords{
    CountKeyword{"minLength", &SchemaNode::min_length},
    CountKeyword{"maxLength", &SchemaNode::max_length},
    CountKeyword{"minItems", &SchemaNode::min_items},
    CountKeyword{"maxItems", &SchemaNode::max_items},
    CountKeyword{"minProperties", &SchemaNode::min_properties},
    CountKeyword{"maxProperties", &SchemaNode::max_properties},
};

struct SchemaKeyword {
  std::string_view name;
  const SchemaNode* SchemaNode::* member;
};
constexpr std::array schema_keywords{
    SchemaKeyword{"additionalItems", &SchemaNode::additional_items},
    SchemaKeyword{"additionalProperties", &SchemaNode::additional_properties},
    SchemaKeyword{"contains", &SchemaNode::contains},
    SchemaKeyword{"propertyNames", &SchemaNode::property_names},
    SchemaKeyword{"not", &SchemaNode::negated},
    SchemaKeyword{"if", &SchemaNode::condition},
    SchemaKeyword{"then", &SchemaNode::consequence},
    SchemaKeyword{"else", &SchemaNode::alternative},
};

struct ListKeyword {
  std::string_view name;
  std::vector<const SchemaNode*> SchemaNode::* member;
};
constexpr std::array list_keywords{
    ListKeyword{"allOf", &SchemaNode::all_of},
    ListKeyword{"anyOf", &SchemaNode::any_of},
    ListKeyword{"oneOf", &SchemaNode::one_of},
};

constexpr std::array<std::string_view, 11> annotations{
    "$comment", "$schema",    "contentEncoding", "contentMediaType",
    "default",  "deprecated", "description",     "examples",
    "readOnly", "title",      "writeOnly"};

constexpr std::array<std::string_view, 7> type_names{"array",  "boolean", "integer", "null",
                                                     "number", "object",  "string"};

/// Formats that the draft names and that are not checked.
constexpr std::array<std::string_view, 15> unchecked_formats{
    "time",          "email",
    "idn-email",     "hostname",
    "idn-hostname",  "ipv4",
    "ipv6",          "uri",
    "uri-reference", "iri",
    "iri-reference", "uri-template",
    "json-pointer",  "relative-json-pointer",
    "regex"};

template <typename List>
auto find_keyword(const List& list, std::string_view name) {
  return std::ranges::find(list, name, [](const auto& keyword) { return keyword.name; });
}

template <typename List>
bool is_one_of(const List& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

std::string below(const std::string& pointer, std::string_view token) {
  std::string result = pointer;
  json::append_token(result, token);
  return result;
}

/// Undoes the percent encoding of a URI's fragment; what is no encoding stays.
std::string decode_fragment(std::string_view fragment) {
  std::string decoded;
  for (std::size_t i = 0; i < fragment.size(); ++i) {
    const bool encoded = fragment[i] == '%' && i + 2 < fragment.size() &&
                         hex_value(fragment[i + 1]) >= 0 && hex_value(fragment[i + 2]) >= 0;
    decoded += encoded
                   ? static_cast<char>(hex_value(fragment[i + 1]) * 16 + hex_value(fragment[i + 2]))
                   : fragment[i];
    if (encoded) i += 2;
  }
  return decoded;
}

/// Texts of an array without repeats, or nothing.
std::optional<std::vector<std::string>> text_list(const JsonValue& value) {
  if (!value.is(Type::array)) return std::nullopt;
  std::set<std::string> texts;
  for (const auto& item : value.items()) {
    if (!item.is(Type::string) || !texts.insert(item.string()).second) return std::nullopt;
  }
  return std::vector<std::string>(texts.begin(), texts.end());
}

/// Used once, on one thread.
class Compiler {
 public:
  explicit Compiler(std::string base) : base_(std::move(base)) {}

  std::expected<SchemaTree, SchemaFault> run(const JsonValue& schema) {
    compile(schema, base_);
    if (!fault_) resolve_references();
    if (!fault_) bound_in_place_nesting();
    if (fault_) return std::unexpected(std::move(*fault_));
    return std::move(tree_);
  }

 private:
  /// Only the first fault is kept: what follows may be its consequence.
  void fault(const std::string& pointer, std::string message) {
    if (!fault_) fault_ = SchemaFault{pointer, std::move(message)};
  }

  const SchemaNode* compile(const JsonValue& schema, const std::string& pointer);
  void keyword(SchemaNode& node, const std::string& name, const JsonValue& value,
               const std::string& pointer);
  bool applicator(SchemaNode& node, std::string_view name, const JsonValue& value,
                  const std::string& pointer);
  bool assertion(SchemaNode& node, std::string_view name, const JsonValue& value,
                 const std::string& pointer);
  void reference(SchemaNode& node, const JsonValue& schema, const std::string& pointer);
  void number(std::optional<SchemaNumber>& member, std::string_view name, const JsonValue& value,
              const std::string& pointer);
  void types(SchemaNode& node, const JsonValue& value, const std::string& pointer);
  void format(SchemaNode& node, const JsonValue& value, const std::string& pointer);
  void items(SchemaNode& node, const JsonValue& value, const std::string& pointer);
  void dependencies(SchemaNode& node, const JsonValue& value, const std::string& pointer);
  void pattern_properties(SchemaNode& node, const JsonValue& value, const std::string& pointer);
  std::vector<const SchemaNode*> list(const JsonValue& value, const std::string& pointer);
  SchemaNode::NamedNodes named(const JsonValue& value, const std::string& pointer);
  std::optional<SchemaRegex> regex(const JsonValue& value, const std::string& pointer);

  void resolve_references();
  void bound_in_place_nesting();
  std::size_t in_place_height(const SchemaNode& node, std::size_t depth);

  std::string base_;
  SchemaTree tree_;
  std::optional<SchemaFault> fault_;
  std::map<std::string, const SchemaNode*, std::less<>> by_pointer_;
  std::map<const SchemaNode*, std::size_t> heights_;
};

const SchemaNode* Compiler::compile(const JsonValue& schema, const std::string& pointer) {
  SchemaNode& node = tree_.emplace_back();
  node.pointer = pointer;
  by_pointer_.emplace(pointer, &node);
  if (schema.is(Type::boolean)) {
    node.accepts_nothing = !schema.boolean();
  } else if (!schema.is(Type::object)) {
    fault(pointer, "a schema is an object, true or false");
  } else if (schema.find("$ref") != nullptr) {
    reference(node, schema, pointer);
  } else {
    for (const auto& [name, value] : schema.members()) {
      keyword(node, name, value, below(pointer, name));
    }
  }
  return &node;
}

void Compiler::keyword(SchemaNode& node, const std::string& name, const JsonValue& value,
                       const std::string& pointer) {
  if (is_one_of(annotations, name)) return;
  if (name == "$id" && node.pointer == base_) return;
  if (applicator(node, name, value, pointer) || assertion(node, name, value, pointer)) return;
  fault(pointer, "not a keyword of JSON Schema draft 07 that is understood here");
}

bool Compiler::applicator(SchemaNode& node, std::string_view name, const JsonValue& value,
                          const std::string& pointer) {
  if (const auto one = find_keyword(schema_keywords, name); one != schema_keywords.end()) {
    node.*one->member = compile(value, pointer);
  } else if (const auto many = find_keyword(list_keywords, name); many != list_keywords.end()) {
    node.*many->member = list(value, pointer);
    if (value.items().empty()) fault(pointer, "must not be empty");
  } else if (name == "items") {
    items(node, value, pointer);
  } else if (name == "properties") {
    node.properties = named(value, pointer);
  } else if (name == "definitions" || name == "$defs") {
    named(value, pointer);
  } else if (name == "patternProperties") {
    pattern_properties(node, value, pointer);
  } else if (name == "dependencies") {
    dependencies(node, value, pointer);
  } else {
    return false;
  }
  return true;
}

bool Compiler::assertion(SchemaNode& node, std::string_view name, const JsonValue& value,
                         const std::string& pointer) {
  if (const auto bound = find_keyword(number_keywords, name); bound != number_keywords.end()) {
    number(node.*bound->member, name, value, pointer);
  } else if (const auto count = find_keyword(count_keywords, name); count != count_keywords.end()) {
    node.*count->member = value.is(Type::number) ? value.number().to_count() : std::nullopt;
    if (!(node.*count->member)) fault(pointer, "must be a whole number, not negative");
  } else if (name == "type") {
    types(node, value, pointer);
  } else if (name == "enum") {
    if (!value.is(Type::array) || value.items().empty()) fault(pointer, "must list values");
    node.one_value_of = value.items();
    std::ranges::sort(*node.one_value_of);
  } else if (name == "const") {
    node.constant = value;
  } else if (name == "required") {
    const auto names = text_list(value);
    if (!names) fault(pointer, "must list names, each once");
    if (names) node.required = *names;
  } else if (name == "uniqueItems") {
    if (!value.is(Type::boolean)) fault(pointer, "must be true or false");
    node.unique_items = value.boolean();
  } else if (name == "pattern") {
    node.pattern = regex(value, pointer);
  } else if (name == "format") {
    format(node, value, pointer);
  } else {
    return false;
  }
  return true;
}

void Compiler::reference(SchemaNode& node, const JsonValue& schema, const std::string& pointer) {
  for (const auto& [name, value] : schema.members()) {
    const std::string place = below(pointer, name);
    if (name == "$ref") {
      if (!value.is(Type::string) || !value.string().starts_with('#')) {
        fault(place, "must be a reference inside the same schema, beginning with #");
      }
      node.reference = value.string();
    } else if (name == "definitions" || name == "$defs") {
      named(value, place);
    } else if (!is_one_of(annotations, name)) {
      fault(place, "has no effect beside $ref; put both into allOf");
    }
  }
}

void Compiler::number(std::optional<SchemaNumber>& member, std::string_view name,
                      const JsonValue& value, const std::string& pointer) {
  if (!value.is(Type::number)) return fault(pointer, "must be a number");
  member = SchemaNumber{value.number(), value.string()};
  if (name != "multipleOf") return;
  if (value.number().is_zero() || value.number().is_negative()) {
    fault(pointer, "must be greater than 0");
  } else if (value.number().precision() > max_divisor_digits) {
    fault(pointer, "has at most " + std::to_string(max_divisor_digits) + " digits");
  }
}

void Compiler::types(SchemaNode& node, const JsonValue& value, const std::string& pointer) {
  const auto names =
      value.is(Type::string) ? std::vector<std::string>{value.string()} : text_list(value);
  const bool known = names && !names->empty() && std::ranges::all_of(*names, [](const auto& name) {
                       return is_one_of(type_names, name);
                     });
  if (!known) return fault(pointer, "must be a type of JSON, or a list of types, each once");
  node.types = *names;
}

void Compiler::format(SchemaNode& node, const JsonValue& value, const std::string& pointer) {
  if (value.is(Type::string)) {
    if (value.string() == "date-time") node.format = SchemaFormat::date_time;
    if (value.string() == "date") node.format = SchemaFormat::date;
    if (value.string() == "uuid") node.format = SchemaFormat::uuid;
    if (node.format != SchemaFormat::none) return;
    if (is_one_of(unchecked_formats, value.string())) return;
  }
  fault(pointer, "not a format of JSON Schema draft 07");
}

void Compiler::items(SchemaNode& node, const JsonValue& value, const std::string& pointer) {
  if (value.is(Type::array)) {
    node.tuple = list(value, pointer);
  } else {
    node.items = compile(value, pointer);
  }
}

void Compiler::dependencies(SchemaNode& node, const JsonValue& value, const std::string& pointer) {
  if (!value.is(Type::object)) return fault(pointer, "must be an object");
  for (const auto& [name, dependency] : value.members()) {
    const std::string place = below(pointer, name);
    if (!dependency.is(Type::array)) {
      node.dependent_schemas.emplace_back(name, compile(dependency, place));
    } else if (auto names = text_list(dependency)) {
      node.dependent_names.emplace_back(name, std::move(*names));
    } else {
      fault(place, "must list names, each once");
    }
  }
}

void Compiler::pattern_properties(SchemaNode& node, const JsonValue& value,
                                  const std::string& pointer) {
  if (!value.is(Type::object)) return fault(pointer, "must be an object of schemas");
  for (const auto& [pattern, schema] : value.members()) {
    const std::string place = below(pointer, pattern);
    auto compiled = SchemaRegex::compile(pattern);
    if (!compiled) return fault(place, compiled.error());
    node.pattern_properties.emplace_back(std::move(*compiled), compile(schema, place));
  }
}

std::vector<const SchemaNode*> Compiler::list(const JsonValue& value, const std::string& pointer) {
  if (!value.is(Type::array)) fault(pointer, "must be an array of schemas");
  std::vector<const SchemaNode*> nodes;
  for (const auto& item : value.items()) {
    nodes.push_back(compile(item, below(pointer, std::to_string(nodes.size()))));
  }
  return nodes;
}

SchemaNode::NamedNodes Compiler::named(const JsonValue& value, const std::string& pointer) {
  if (!value.is(Type::object)) fault(pointer, "must be an object of schemas");
  SchemaNode::NamedNodes nodes;
  for (const auto& [name, schema] : value.members()) {
    nodes.emplace_back(name, compile(schema, below(pointer, name)));
  }
  return nodes;
}

std::optional<SchemaRegex> Compiler::regex(const JsonValue& value, const std::string& pointer) {
  if (!value.is(Type::string)) {
    fault(pointer, "must be a regular expression");
    return std::nullopt;
  }
  auto compiled = SchemaRegex::compile(value.string());
  if (compiled) return std::move(*compiled);
  fault(pointer, compiled.error());
  return std::nullopt;
}

void Compiler::resolve_references() {
  for (SchemaNode& node : tree_) {
    if (node.reference.empty()) continue;
    const auto target = by_pointer_.find(base_ + decode_fragment(node.reference.substr(1)));
    if (target == by_pointer_.end()) {
      fault(below(node.pointer, "$ref"), "does not lead to a schema inside this one");
      return;
    }
    node.target = target->second;
  }
}

void Compiler::bound_in_place_nesting() {
  for (const SchemaNode& node : tree_) {
    in_place_height(node, 0);
    if (fault_) return;
  }
}

/// The longest chain of schemas below `node` that look at the same value. A cycle has no end and
/// exceeds the bound like any chain that is too long.
std::size_t Compiler::in_place_height(const SchemaNode& node, std::size_t depth) {
  const auto known = heights_.find(&node);
  if (depth + (known == heights_.end() ? 0 : known->second) > max_in_place) {
    fault(node.pointer, "applies more than " + std::to_string(max_in_place) +
                            " schemas to one value through each other, or applies itself");
    return 0;
  }
  if (known != heights_.end()) return known->second;

  std::size_t height = 0;
  const auto visit = [&](const SchemaNode* child) {
    if (child == nullptr || fault_) return;
    height = std::max(height, in_place_height(*child, depth + 1) + 1);
  };
  for (const auto* child :
       {node.target, node.negated, node.condition, node.consequence, node.alternative}) {
    visit(child);
  }
  for (const auto& children : {node.all_of, node.any_of, node.one_of}) {
    std::ranges::for_each(children, visit);
  }
  for (const auto& child : node.dependent_schemas)
    visit(child.second);
  heights_.emplace(&node, height);
  return height;
}

}  // namespace

std::expected<SchemaTree, SchemaFault> compile_schema(const JsonValue& schema,
                                                      const std::string& pointer) {
  return Compiler(pointer).run(schema);
}

}  // namespace annals::core
