#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <vector>

#include "annals/follow.hpp"
#include "cli/failure.hpp"

namespace annals::cli {

/// The filters of the API as options of a command.
class FilterOptions {
 public:
  /// Adds the options; they write into this object, which outlives the parsing.
  void add_to(CLI::App& command);

  /// The parameters of the API that were asked for; what they mean is for the log to say.
  [[nodiscard]] Outcome<Filters> filters() const;

 private:
  std::map<std::string, std::string> values_;  ///< By the name of the API's parameter.
  std::vector<std::string> labels_;            ///< `name=value`.
  std::vector<std::string> others_;            ///< `parameter=value`.
};

}  // namespace annals::cli
