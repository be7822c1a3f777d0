#include "log/append/commit_outcome.hpp"

#include <algorithm>

namespace annals::log {

Result<void> find_outcome(EventReader& reader, std::span<const AppendedEvent> events) {
  const auto placed = std::ranges::find(events, false, &AppendedEvent::duplicate);
  if (placed == events.end()) return {};
  auto found = reader.find(placed->id);
  if (found && *found) return {};
  // Not there now is not an answer: what was written of the commit may come back to life when the
  // store recovers.
  return fail(ErrorCode::commit_unknown, found ? "the store was lost during the commit"
                                               : "the store was lost during the commit, and reads "
                                                 "fail");
}

}  // namespace annals::log
