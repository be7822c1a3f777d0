#include <algorithm>
#include <array>

#include "core/catalogue.hpp"

namespace annals::core {
namespace {

struct LogType {
  std::string_view name;
  bool critical;
};

/// Sorted. Not critical are those that report what was not stored anyway: waiting for them would
/// slow down exactly the log that is under pressure.
constexpr std::array types{
    LogType{"access.key_changed", true},
    LogType{"access.key_created", true},
    LogType{"access.key_revoked", true},
    LogType{"log.catalogue_changed", true},
    LogType{"log.chain_tamper_detected", true},
    LogType{"log.dropped", false},
    LogType{"log.imported", true},
    LogType{"log.outbox_rejected", false},
    LogType{"log.redacted", true},
    LogType{"log.restored", true},
    LogType{"log.retention", true},
};
static_assert(std::ranges::is_sorted(types, {}, &LogType::name));

}  // namespace

const std::vector<std::string>& log_types() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& type : types)
      all.emplace_back(type.name);
    return all;
  }();
  return names;
}

bool is_critical_log_type(std::string_view type) noexcept {
  const auto* const found = std::ranges::lower_bound(types, type, {}, &LogType::name);
  return found != types.end() && found->name == type && found->critical;
}

}  // namespace annals::core
