#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/catalogue.hpp"
#include "core/json.hpp"
#include "core/json_text.hpp"
#include "core/payload_schema.hpp"
#include "core/payload_schema_value.hpp"
#include "core/validate_names.hpp"

namespace annals::core {
namespace {

using json::Type;

constexpr std::string_view default_class = "default";
constexpr std::chrono::days max_keep{36'500};

/// Names of query parameters that a filter label may not take away, also of later versions.
constexpr std::array<std::string_view, 37> parameters{"actor",
                                                      "after",
                                                      "before",
                                                      "cb",
                                                      "channel",
                                                      "consumer",
                                                      "correlation_id",
                                                      "cursor",
                                                      "form",
                                                      "format",
                                                      "from",
                                                      "grant",
                                                      "hashed",
                                                      "id",
                                                      "incarnation",
                                                      "key",
                                                      "label",
                                                      "last",
                                                      "last_event_id",
                                                      "limit",
                                                      "log_id",
                                                      "max",
                                                      "min_seq",
                                                      "order",
                                                      "resource_id",
                                                      "resource_kind",
                                                      "seq",
                                                      "since",
                                                      "source",
                                                      "space",
                                                      "stream",
                                                      "thread",
                                                      "ticket",
                                                      "to",
                                                      "type",
                                                      "until",
                                                      "wait"};

struct UnitName {
  char name;
  std::chrono::seconds length;
};
constexpr std::array units{
    UnitName{'s', std::chrono::seconds(1)}, UnitName{'m', std::chrono::minutes(1)},
    UnitName{'h', std::chrono::hours(1)}, UnitName{'d', std::chrono::days(1)}};

/// Reads `90d`, `36h`, `15m`, `30s`: more than nothing, at most 36,500 days.
std::optional<std::chrono::seconds> parse_keep(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto* const unit = std::ranges::find(units, text.back(), &UnitName::name);
  if (unit == units.end()) return std::nullopt;
  std::int64_t count = 0;
  const std::string_view digits = text.substr(0, text.size() - 1);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || count <= 0 ||
      count > std::chrono::seconds(max_keep) / unit->length) {
    return std::nullopt;
  }
  return count * unit->length;
}

std::string below(const std::string& pointer, std::string_view token) {
  std::string result = pointer;
  json::append_token(result, token);
  return result;
}

}  // namespace

/// Reads one document into one catalogue. Used once, on one thread.
class CatalogueReader {
 public:
  Result<Catalogue> run(std::string_view json);

 private:
  /// Only the first fault is kept: what follows may be its consequence.
  void fault(const std::string& pointer, std::string_view rule);

  void document(const JsonValue& root);
  void types(const JsonValue& value);
  void type(const JsonValue& value, const std::string& pointer);
  void type_member(TypeEntry& entry, const std::string& name, const JsonValue& value,
                   const std::string& pointer);
  void pattern(TypeEntry& entry, const JsonValue& value, const std::string& pointer);
  void schema(TypeEntry& entry, const JsonValue& value, const std::string& pointer);
  void labels(TypeEntry& entry, const JsonValue& value, const std::string& pointer);
  LabelRule label(const std::string& name, const JsonValue& value, const std::string& pointer);
  void values(LabelRule& rule, const JsonValue& value, const std::string& pointer);
  void retention_classes(const JsonValue& value);
  void retention_class(const std::string& name, const JsonValue& value, const std::string& pointer);
  void check_classes();
  void collect_filters();

  bool read_boolean(const JsonValue& value, const std::string& pointer);
  std::string read_text(const JsonValue& value, const std::string& pointer);
  std::string read_name(const JsonValue& value, const std::string& pointer);

  Catalogue catalogue_;
  std::optional<Error> fault_;
};

Result<Catalogue> CatalogueReader::run(std::string_view json) {
  if (json.size() > Catalogue::max_bytes) {
    return std::unexpected(Error{
        ErrorCode::invalid_request,
        "The catalogue has at most " + std::to_string(Catalogue::max_bytes) + " bytes",
        LimitExceeded{.name = "catalogue_max_bytes", .limit = Catalogue::max_bytes}, std::nullopt});
  }
  auto compact = json::compact_payload(json, NullPolicy::refuse);
  if (!compact) {
    fault(compact.error().pointer, compact.error().message);
    return std::unexpected(std::move(*fault_));
  }
  const auto root = JsonValue::parse(*compact);
  if (!root) {
    fault(root.error().pointer, root.error().message);
    return std::unexpected(std::move(*fault_));
  }
  catalogue_.document_ = std::move(*compact);
  document(*root);
  if (!fault_) check_classes();
  if (!fault_) collect_filters();
  if (fault_) return std::unexpected(std::move(*fault_));
  return std::move(catalogue_);
}

void CatalogueReader::fault(const std::string& pointer, std::string_view rule) {
  if (fault_) return;
  std::string detail = "The catalogue is not valid at ";
  detail.append(pointer.empty() ? "its root" : pointer).append(": ").append(rule);
  fault_ = Error{ErrorCode::invalid_request, std::move(detail), {}, std::nullopt};
}

void CatalogueReader::document(const JsonValue& root) {
  for (const auto& [name, value] : root.members()) {
    if (name == "types") {
      types(value);
    } else if (name == "retention_classes") {
      retention_classes(value);
    } else {
      fault(below("", name), "unknown member; known are types and retention_classes");
    }
  }
}

void CatalogueReader::types(const JsonValue& value) {
  if (!value.is(Type::array)) fault("/types", "must be an array");
  for (std::size_t i = 0; i < value.items().size() && !fault_; ++i) {
    type(value.items()[i], below("/types", std::to_string(i)));
  }
}

void CatalogueReader::type(const JsonValue& value, const std::string& pointer) {
  if (!value.is(Type::object)) return fault(pointer, "must be an object");
  TypeEntry entry;
  for (const auto& [name, member] : value.members()) {
    type_member(entry, name, member, below(pointer, name));
  }
  if (value.find("pattern") == nullptr) fault(pointer, "needs a pattern");
  if (fault_) return;

  const bool prefix = entry.pattern.ends_with(".*");
  const std::string key =
      prefix ? entry.pattern.substr(0, entry.pattern.size() - 1) : entry.pattern;
  auto& index = prefix ? catalogue_.by_prefix_ : catalogue_.by_name_;
  if (!index.emplace(key, catalogue_.entries_.size()).second) {
    return fault(below(pointer, "pattern"), "the pattern is declared twice");
  }
  catalogue_.entries_.push_back(std::move(entry));
}

void CatalogueReader::type_member(TypeEntry& entry, const std::string& name, const JsonValue& value,
                                  const std::string& pointer) {
  if (name == "pattern") {
    pattern(entry, value, pointer);
  } else if (name == "description") {
    if (!value.is(Type::string)) fault(pointer, "must be a text");
  } else if (name == "schema") {
    schema(entry, value, pointer);
  } else if (name == "resource_kind") {
    entry.resource_kind = read_text(value, pointer);
  } else if (name == "receive_action") {
    entry.receive_action = read_name(value, pointer);
  } else if (name == "critical") {
    entry.critical = read_boolean(value, pointer);
  } else if (name == "retention_class") {
    entry.retention_class = read_name(value, pointer);
  } else if (name == "labels") {
    labels(entry, value, pointer);
  } else {
    fault(pointer,
          "unknown member; known are pattern, description, schema, resource_kind, receive_action, "
          "critical, retention_class and labels");
  }
}

void CatalogueReader::pattern(TypeEntry& entry, const JsonValue& value,
                              const std::string& pointer) {
  if (!value.is(Type::string) || !is_type_pattern(value.string())) {
    return fault(pointer, "must be a type name or a prefix ending in .*, at most 200 bytes");
  }
  if (is_reserved_type(value.string())) {
    return fault(pointer, "types of log. and access. are the log's own and cannot be declared");
  }
  entry.pattern = value.string();
}

void CatalogueReader::schema(TypeEntry& entry, const JsonValue& value, const std::string& pointer) {
  auto compiled = PayloadSchema::compile(value, pointer);
  if (!compiled) return fault(compiled.error().pointer, compiled.error().message);
  entry.schema = std::move(*compiled);
}

void CatalogueReader::labels(TypeEntry& entry, const JsonValue& value, const std::string& pointer) {
  if (!value.is(Type::object)) return fault(pointer, "must be an object");
  for (const auto& [name, rule] : value.members()) {
    const std::string place = below(pointer, name);
    if (!is_name(name)) return fault(place, "a label's name is [a-z][a-z0-9_]{0,62}");
    entry.labels.emplace(name, label(name, rule, place));
  }
}

LabelRule CatalogueReader::label(const std::string& name, const JsonValue& value,
                                 const std::string& pointer) {
  LabelRule rule;
  if (!value.is(Type::object)) fault(pointer, "must be an object");
  for (const auto& [member_name, member] : value.members()) {
    const std::string place = below(pointer, member_name);
    if (member_name == "values") {
      values(rule, member, place);
    } else if (member_name == "filter") {
      rule.filter = read_boolean(member, place);
    } else if (member_name == "description") {
      if (!member.is(Type::string)) fault(place, "must be a text");
    } else {
      fault(place, "unknown member; known are values, filter and description");
    }
  }
  if (rule.filter && std::ranges::find(parameters, name) != parameters.end()) {
    fault(pointer, "the name is a parameter of the API, so the label cannot be a filter");
  }
  return rule;
}

void CatalogueReader::values(LabelRule& rule, const JsonValue& value, const std::string& pointer) {
  if (!value.is(Type::array) || value.items().empty()) {
    return fault(pointer,
                 "must be an array of at least one value; without it any value is allowed");
  }
  for (const auto& item : value.items()) {
    const bool text =
        item.is(Type::string) &&
        (item.string().empty() || is_plain_text(item.string(), max_label_value_bytes));
    if (!text) return fault(pointer, "values are texts of at most 256 bytes without U+0000");
    if (!rule.allowed_values.insert(item.string()).second) {
      return fault(pointer, "a value is listed twice");
    }
  }
}

void CatalogueReader::retention_classes(const JsonValue& value) {
  if (!value.is(Type::object)) fault("/retention_classes", "must be an object");
  for (const auto& [name, member] : value.members()) {
    retention_class(name, member, below("/retention_classes", name));
  }
}

void CatalogueReader::retention_class(const std::string& name, const JsonValue& value,
                                      const std::string& pointer) {
  if (!is_name(name)) return fault(pointer, "a class's name is [a-z][a-z0-9_]{0,62}");
  if (name == default_class) {
    return fault(pointer, "the default class follows the log's retention and cannot be declared");
  }
  if (!value.is(Type::object)) return fault(pointer, "must be an object");
  RetentionClass rule;
  for (const auto& [member_name, member] : value.members()) {
    const std::string place = below(pointer, member_name);
    const std::string_view text = member.is(Type::string) ? member.string() : std::string_view{};
    if (member_name == "keep") {
      const auto keep = parse_keep(text);
      if (!keep) return fault(place, "must be a time like 90d, 36h, 15m or 30s, at most 36500d");
      rule.keep = *keep;
    } else if (member_name == "on_expiry") {
      if (text != "cut" && text != "redact") return fault(place, "must be cut or redact");
      rule.on_expiry = text == "redact" ? OnExpiry::redact : OnExpiry::cut;
    } else {
      return fault(place, "unknown member; known are keep and on_expiry");
    }
  }
  if (value.find("keep") == nullptr) return fault(pointer, "needs keep");
  catalogue_.retention_classes_.emplace(name, rule);
}

void CatalogueReader::check_classes() {
  for (std::size_t i = 0; i < catalogue_.entries_.size(); ++i) {
    const std::string& name = catalogue_.entries_[i].retention_class;
    if (name == default_class || catalogue_.retention_classes_.contains(name)) continue;
    fault("/types/" + std::to_string(i) + "/retention_class",
          "the class is not declared under retention_classes");
  }
}

void CatalogueReader::collect_filters() {
  auto& filters = catalogue_.filters_;
  for (const auto& entry : catalogue_.entries_) {
    for (const auto& [name, rule] : entry.labels) {
      if (rule.filter) filters.emplace(name, LabelRule{.allowed_values = {}, .filter = true});
    }
  }
  // Types that declare the label without making it a filter carry it, too.
  std::set<std::string_view> any_value;
  for (const auto& entry : catalogue_.entries_) {
    for (const auto& [name, rule] : entry.labels) {
      const auto merged = filters.find(name);
      if (merged == filters.end()) continue;
      if (rule.allowed_values.empty()) any_value.insert(merged->first);
      merged->second.allowed_values.insert(rule.allowed_values.begin(), rule.allowed_values.end());
    }
  }
  for (const auto name : any_value)
    filters.find(name)->second.allowed_values.clear();
}

bool CatalogueReader::read_boolean(const JsonValue& value, const std::string& pointer) {
  if (!value.is(Type::boolean)) fault(pointer, "must be true or false");
  return value.boolean();
}

std::string CatalogueReader::read_text(const JsonValue& value, const std::string& pointer) {
  if (!value.is(Type::string) || !is_plain_text(value.string())) {
    fault(pointer, "must be a text of 1 to 200 bytes without U+0000");
  }
  return value.string();
}

std::string CatalogueReader::read_name(const JsonValue& value, const std::string& pointer) {
  if (!value.is(Type::string) || !is_name(value.string())) {
    fault(pointer, "must be a name: [a-z][a-z0-9_]{0,62}");
  }
  return value.string();
}

Result<Catalogue> Catalogue::parse(std::string_view json) {
  return CatalogueReader().run(json);
}

}  // namespace annals::core
