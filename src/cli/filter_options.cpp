#include "cli/filter_options.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace annals::cli {
namespace {

Outcome<void> apply(Filter& filter, std::string_view name, std::string_view value,
                    const core::Catalogue& catalogue) {
  auto set = core::set_filter(filter, name, value, catalogue);
  if (!set) return wrong_usage(std::move(set.error().detail));
  return {};
}

Outcome<void> apply_pair(Filter& filter, std::string_view prefix, std::string_view pair,
                         const core::Catalogue& catalogue) {
  const auto equals = pair.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return wrong_usage("a filter needs NAME=VALUE");
  }
  return apply(filter, std::string(prefix) + std::string(pair.substr(0, equals)),
               pair.substr(equals + 1), catalogue);
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

Outcome<Filter> FilterOptions::filter(const core::Catalogue& catalogue) const {
  Filter filter;
  for (const auto& [name, value] : values_) {
    if (auto set = apply(filter, name, value, catalogue); !set) {
      return std::unexpected(std::move(set.error()));
    }
  }
  for (const auto& label : labels_) {
    if (auto set = apply_pair(filter, "label.", label, catalogue); !set) {
      return std::unexpected(std::move(set.error()));
    }
  }
  for (const auto& other : others_) {
    if (auto set = apply_pair(filter, "", other, catalogue); !set) {
      return std::unexpected(std::move(set.error()));
    }
  }
  return filter;
}

}  // namespace annals::cli
