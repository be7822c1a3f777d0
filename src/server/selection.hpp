#pragma once

#include <memory>
#include <utility>

#include "annals/filter.hpp"
#include "annals/record.hpp"
#include "server/access.hpp"
#include "wire/format.hpp"

namespace annals::server {

/// The filter, as a selection keeps it.
[[nodiscard]] inline std::shared_ptr<const Filter> narrowed_by(Filter filter) {
  return filter.empty() ? nullptr : std::make_shared<const Filter>(std::move(filter));
}

/// Which events a reader is shown, and in what form: what it may see, narrowed to what it asked
/// for. Plain value.
struct Selection {
  Viewer viewer;
  /// Null: it asked for everything. A filter is large, and most subscribers have none.
  std::shared_ptr<const Filter> narrowed;
  wire::Format format = wire::Format::envelope;

  /// What it asked for.
  [[nodiscard]] const Filter& filter() const noexcept {
    static const Filter everything;
    return narrowed ? *narrowed : everything;
  }

  /// True when every event of the log is shown, so that a missing number is an error.
  [[nodiscard]] bool complete() const noexcept { return viewer.all && filter().empty(); }
};

}  // namespace annals::server
