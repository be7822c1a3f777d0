#pragma once

#include <cstddef>

namespace annals::app {

/// What standard output is connected to.
struct Terminal {
  bool in = false;   ///< Standard input is a terminal.
  bool out = false;  ///< Standard output is one.
  bool err = false;  ///< Standard error is one.
  bool colours = false;
  std::size_t columns = 80;
};

/// Looks at the descriptors of the process and at `NO_COLOR` and `TERM`.
[[nodiscard]] Terminal look_at_terminal();

}  // namespace annals::app
