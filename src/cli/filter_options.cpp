#include "cli/filter_options.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/filter.hpp"

namespace annals::cli {
namespace {

Outcome<void> add_pair(Filters& filters, std::string_view prefix, std::string_view pair) {
  const auto equals = pair.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return wrong_usage("a filter needs NAME=VALUE");
  }
  filters.emplace_back(std::string(prefix) + std::string(pair.substr(0, equals)),
                       pair.substr(equals + 1));
  return {};
}

}  // namespace

void FilterOptions::add_to(CLI::App& command) {
  for (const auto& parameter : core::filter_parameters()) {
    std::string option = "--" + std::string(parameter.name);
    std::ranges::replace(option, '_', '-');
    command
        .add_option_function<std::string>(
            option,
            [this, name = std::string(parameter.name)](const std::string& value) {
              values_[name] = value;
            },
            std::string(parameter.description))
        ->type_name("VALUE")
        ->group("Filters");
  }
  command.add_option("--label", labels_, "Exact value of a label; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group("Filters");
  command
      .add_option("--filter", others_, "Any filter of the API, such as a label of the catalogue")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group("Filters");
}

Outcome<Filters> FilterOptions::filters() const {
  Filters filters(values_.begin(), values_.end());
  for (const auto& label : labels_) {
    if (auto added = add_pair(filters, "label.", label); !added) {
      return std::unexpected(std::move(added.error()));
    }
  }
  for (const auto& other : others_) {
    if (auto added = add_pair(filters, "", other); !added) {
      return std::unexpected(std::move(added.error()));
    }
  }
  return filters;
}

}  // namespace annals::cli
