#include "store/sqlite/transaction.hpp"

#include "store/sqlite/codec.hpp"
#include "store/sqlite/log_tables.hpp"

namespace annals::store::sqlite {

Result<LogState> Transaction::lock_state() {
  return status_.read([&] { return load_state(statements_); });
}

Result<std::vector<std::optional<StreamHead>>> Transaction::heads(
    std::span<const std::string> streams) {
  return status_.read([&] { return find_heads(statements_, streams); });
}

Result<std::vector<std::optional<Record>>> Transaction::find_ids(std::span<const Uuid> ids) {
  return status_.read([&] { return find_records(statements_, log_id_, ids); });
}

Result<void> Transaction::append(const core::Placement& placement) {
  auto appended = status_.write([&] { return append_placement(statements_, placement); });
  if (appended && !placement.records.empty()) after_ = placement.after;
  return appended;
}

}  // namespace annals::store::sqlite
