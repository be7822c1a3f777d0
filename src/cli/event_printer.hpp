#pragma once

#include <cstdint>
#include <string>

#include "annals/envelope.hpp"
#include "cli/context.hpp"
#include "cli/log_access.hpp"

namespace annals::cli {

/// Prints events: one envelope a line, or on a terminal (without `--json`) a table made for
/// reading. Used on one thread.
class EventPrinter {
 public:
  /// `head` is the largest number to make room for.
  EventPrinter(Context& context, std::uint64_t head);

  /// Prints one event. The value is false when nobody reads the output any more.
  Outcome<bool> print(const LoggedEvent& event);

 private:
  [[nodiscard]] std::string row(const Envelope& event) const;
  void print_heading();

  Streams& streams_;
  bool table_;
  bool heading_printed_ = false;
  std::size_t seq_width_;
};

}  // namespace annals::cli
