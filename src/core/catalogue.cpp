#include "core/catalogue.hpp"

#include "core/payload_schema.hpp"

namespace annals::core {

Catalogue::Catalogue() = default;

const TypeEntry* Catalogue::find(std::string_view type) const noexcept {
  if (const auto exact = by_name_.find(type); exact != by_name_.end()) {
    return &entries_[exact->second];
  }
  if (by_prefix_.empty()) return nullptr;
  // The type itself is not below its own last dot, so the longest prefix comes first.
  for (std::size_t dot = type.rfind('.'); dot != std::string_view::npos && dot > 0;
       dot = type.rfind('.', dot - 1)) {
    const auto prefix = by_prefix_.find(type.substr(0, dot + 1));
    if (prefix != by_prefix_.end()) return &entries_[prefix->second];
  }
  return nullptr;
}

const LabelRule* Catalogue::filter(std::string_view name) const noexcept {
  const auto found = filters_.find(name);
  return found == filters_.end() ? nullptr : &found->second;
}

bool Catalogue::critical(std::string_view type) const noexcept {
  if (is_critical_log_type(type)) return true;
  const TypeEntry* entry = find(type);
  return entry != nullptr && entry->critical;
}

void Catalogue::check_payload(const TypeEntry& entry, std::string_view payload, std::size_t index,
                              std::vector<Violation>& violations) const {
  if (entry.schema) entry.schema->check(payload, index, violations);
}

}  // namespace annals::core
