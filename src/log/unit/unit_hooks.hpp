#pragma once

#include <string>
#include <vector>

#include "annals/unit_of_work.hpp"

namespace annals::log {

/// The hooks of all phases, in order of registration. Filled before the log opens, then constant.
class UnitHooks {
 public:
  struct Entry {
    UnitPhase phase;
    std::string name;
    UnitHook hook;
  };

  void add(UnitPhase phase, std::string name, UnitHook hook);

  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }

  /// `phase name` per hook in the order in which they run, the log's own sequence step included.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace annals::log
