#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "annals/record.hpp"
#include "annals/result.hpp"

namespace annals::core {

class PayloadSchema;  // compiled JSON Schema

/// What the catalogue says of a label.
struct LabelRule {
  std::set<std::string, std::less<>> allowed_values;  ///< Empty: any value.
  bool filter = false;                                ///< May be used as a filter by its bare name.

  friend bool operator==(const LabelRule&, const LabelRule&) = default;
};

/// What becomes of an event whose class no longer protects it.
enum class OnExpiry : std::uint8_t {
  cut,     ///< It goes with the log's own retention, together with everything before it.
  redact,  ///< Its payload and meta are erased; header and proof stay until the cut.
};

/// How long events of a class are kept at least.
struct RetentionClass {
  std::chrono::seconds keep{0};
  OnExpiry on_expiry = OnExpiry::cut;

  friend bool operator==(const RetentionClass&, const RetentionClass&) = default;
};

/// What the catalogue says of the types that match `pattern`.
struct TypeEntry {
  std::string pattern;  ///< Exact type or `prefix.*`.
  std::string resource_kind = "event";
  std::optional<std::string> receive_action;  ///< Set: the only one events of the type may have.
  bool critical = false;
  std::string retention_class = "default";
  std::map<std::string, LabelRule, std::less<>> labels;  ///< Empty: unrestricted; else no others.
  std::shared_ptr<const PayloadSchema> schema;           ///< Null: any object.
};

/// The declared event types. Immutable; shared between threads. An exact name wins over a prefix,
/// a longer prefix over a shorter one; a type without an entry has the defaults.
class Catalogue {
 public:
  static constexpr std::size_t max_bytes = std::size_t{1} << 20U;  ///< Longest document.

  /// The empty catalogue: every type has the defaults.
  Catalogue();

  /// Reads the JSON document of `annals catalogue apply` (docs/catalogue.md). Errors:
  /// `invalid_request` with the pointer and the rule in the detail. Unknown members are refused.
  static Result<Catalogue> parse(std::string_view json);

  /// The document it was made from, compacted; `{}` when empty.
  [[nodiscard]] const std::string& document() const noexcept { return document_; }

  [[nodiscard]] const std::vector<TypeEntry>& entries() const noexcept { return entries_; }

  /// The entry for a type, or null.
  [[nodiscard]] const TypeEntry* find(std::string_view type) const noexcept;

  /// The declared retention classes by name; `default` is never among them.
  [[nodiscard]] const std::map<std::string, RetentionClass, std::less<>>& retention_classes()
      const noexcept {
    return retention_classes_;
  }

  /// What a label declared as a filter accepts under its bare name: the values of all types that
  /// declare it, any value when one of them lists none. Null when it is no filter.
  [[nodiscard]] const LabelRule* filter(std::string_view name) const noexcept;

  /// Must be acknowledged durably: marked here, or one of the log's own critical types.
  [[nodiscard]] bool critical(std::string_view type) const noexcept;

  /// Checks a payload against the type's schema; appends violations with `index`.
  void check_payload(const TypeEntry& entry, std::string_view payload, std::size_t index,
                     std::vector<Violation>& violations) const;

 private:
  friend class CatalogueReader;

  std::string document_ = "{}";
  std::vector<TypeEntry> entries_;                             ///< In the document's order.
  std::map<std::string, std::size_t, std::less<>> by_name_;    ///< Exact types; into `entries_`.
  std::map<std::string, std::size_t, std::less<>> by_prefix_;  ///< Prefixes up to their last dot.
  std::map<std::string, LabelRule, std::less<>> filters_;
  std::map<std::string, RetentionClass, std::less<>> retention_classes_;
};

/// The log's own event types (`log.*`, `access.*`), a closed set, sorted.
[[nodiscard]] const std::vector<std::string>& log_types();

/// True for those of the log's own types that must be acknowledged durably.
[[nodiscard]] bool is_critical_log_type(std::string_view type) noexcept;

}  // namespace annals::core
