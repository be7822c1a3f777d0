#include "log/append/commit_outcome.hpp"

#include <algorithm>

namespace annals::log {

Result<void> find_outcome(EventReader& reader, std::span<const AppendedEvent> events) {
  const auto placed = std::ranges::find(events, false, &AppendedEvent::duplicate);
  if (placed == events.end()) return {};
  auto found = reader.find(placed->id);
  if (!found) {
    return fail(ErrorCode::commit_unknown,
                "whether the events were stored cannot be found out now");
  }
  if (*found) return {};
  return fail(ErrorCode::store_unavailable, "the store was lost during the commit");
}

}  // namespace annals::log
