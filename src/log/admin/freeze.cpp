#include "log/admin/freeze.hpp"

#include <utility>

namespace annals::log {

Result<bool> set_frozen(Store& store, std::chrono::milliseconds timeout, const WriteCapability& by,
                        bool frozen) {
  auto transaction = store.begin_write(timeout);
  if (!transaction) return std::unexpected(std::move(transaction).error());
  auto state = (*transaction)->lock_state();
  if (!state) return std::unexpected(std::move(state).error());
  if (by.holder() != state->local_key_id) {
    return fail(ErrorCode::not_allowed, "a log is frozen by the local administrator");
  }
  if (state->frozen == frozen) return false;
  if (auto set = (*transaction)->admin().set_frozen(frozen); !set) {
    return std::unexpected(std::move(set).error());
  }
  if (auto committed = (*transaction)->commit(); !committed) {
    return std::unexpected(std::move(committed).error());
  }
  return true;
}

}  // namespace annals::log
