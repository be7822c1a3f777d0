#include "log/admin/own_change.hpp"

#include "log/append/commit_outcome.hpp"
#include "log/append/group_plan.hpp"

namespace annals::log {

Result<std::optional<AppendedEvent>> append_own_change(Store& store, Clock& clock,
                                                       std::chrono::milliseconds timeout,
                                                       PermissionBump bump, const OwnEvent& event,
                                                       const AdminChange& change) {
  auto transaction = store.begin_write(timeout);
  if (!transaction) return std::unexpected(std::move(transaction).error());
  auto state = (*transaction)->lock_state();
  if (!state) return std::unexpected(std::move(state).error());
  if (auto accepts = check_accepts(*state); !accepts) {
    return std::unexpected(std::move(accepts).error());
  }
  AdminWriter& admin = (*transaction)->admin();
  auto draft = event(admin);
  if (!draft) return std::unexpected(std::move(draft).error());
  if (!*draft) return std::nullopt;

  GroupPlan plan(**transaction, store, *state, clock.now(), std::chrono::hours{0});
  if (bump == PermissionBump::yes) plan.bump_permission_version();
  if (const auto& stream = (*draft)->event.stream) {
    if (auto loaded = plan.load_heads({&*stream, 1}, nullptr); !loaded) {
      return std::unexpected(std::move(loaded).error());
    }
  }
  AppendedEvent placed = plan.place(**draft);
  if (auto changed = change(admin, placed); !changed) {
    return std::unexpected(std::move(changed).error());
  }
  if (auto written = plan.write(); !written) return std::unexpected(std::move(written).error());
  auto committed = (*transaction)->commit();
  if (!committed && committed.error().code == ErrorCode::commit_unknown) {
    committed = find_outcome(store.events(), {&placed, 1});
  }
  if (!committed) return std::unexpected(std::move(committed).error());
  return placed;
}

}  // namespace annals::log
