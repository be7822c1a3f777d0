#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <vector>

#include "cli/failure.hpp"
#include "core/filter.hpp"

namespace annals::cli {

/// The filters of the API as options of a command.
class FilterOptions {
 public:
  /// Adds the options; they write into this object, which outlives the parsing.
  void add_to(CLI::App& command);

  /// The filter that was asked for. Malformed values are wrong usage.
  [[nodiscard]] Outcome<Filter> filter(const core::Catalogue& catalogue) const;

 private:
  std::map<std::string, std::string> values_;  ///< By the name of the API's parameter.
  std::vector<std::string> labels_;            ///< `name=value`.
  std::vector<std::string> others_;            ///< `parameter=value`.
};

}  // namespace annals::cli
