#include "log/unit/unit_hooks.hpp"

#include <utility>

namespace annals::log {

void UnitHooks::add(UnitPhase phase, std::string name, UnitHook hook) {
  entries_.push_back({phase, std::move(name), std::move(hook)});
}

std::vector<std::string> UnitHooks::lines() const {
  std::vector<std::string> lines;
  const auto add_phase = [&](UnitPhase phase) {
    for (const Entry& entry : entries_) {
      if (entry.phase == phase) lines.push_back(std::string(to_string(phase)) + " " + entry.name);
    }
  };
  add_phase(UnitPhase::rights_check);
  add_phase(UnitPhase::sync);
  lines.push_back(std::string(to_string(UnitPhase::sync)) + " annals.sequence");
  add_phase(UnitPhase::audit);
  return lines;
}

}  // namespace annals::log
