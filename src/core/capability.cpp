#include "annals/capability.hpp"

#include <utility>

#include "core/validate_names.hpp"

namespace annals {

WriteCapability::WriteCapability(Uuid holder, AllowedTypes allowed_types, Timestamp minted_at)
    : holder_(holder),
      allowed_types_(std::move(allowed_types)),
      minted_at_(minted_at) {}

bool WriteCapability::allows(std::string_view type) const {
  // An asterisk never belongs to a type, so a pattern cannot be passed off as one.
  if (core::is_reserved_type(type) || type.contains('*')) return false;
  if (allowed_types_.contains(type) || allowed_types_.contains(std::string_view("*"))) return true;

  std::string pattern;
  pattern.reserve(type.size() + 2);
  for (std::size_t dot = type.rfind('.'); dot != std::string_view::npos && dot > 0;
       dot = type.rfind('.', dot - 1)) {
    // "a." itself is not below "a".
    if (dot + 1 == type.size()) continue;
    pattern.assign(type.substr(0, dot + 1)).push_back('*');
    if (allowed_types_.contains(pattern)) return true;
  }
  return false;
}

}  // namespace annals
