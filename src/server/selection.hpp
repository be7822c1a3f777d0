#pragma once

#include "annals/filter.hpp"
#include "annals/record.hpp"
#include "server/access.hpp"
#include "wire/format.hpp"

namespace annals::server {

/// Which events a reader is shown, and in what form: what it may see, narrowed to what it asked
/// for. Plain value.
struct Selection {
  Viewer viewer;
  Filter filter;
  wire::Format format = wire::Format::envelope;

  /// True when every event of the log is shown, so that a missing number is an error.
  [[nodiscard]] bool complete() const noexcept { return viewer.all && filter.empty(); }
};

}  // namespace annals::server
