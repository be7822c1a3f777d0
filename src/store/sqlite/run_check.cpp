#include "store/sqlite/run_check.hpp"

#include "store/sqlite/codec.hpp"
#include "store/sqlite/statements.hpp"

namespace annals::store::sqlite {

bool fits(Statements& statements, const LogState& state, const index::RunInfo& info) {
  if (info.log_id != state.log_id || info.to > state.event_seq) return false;
  if (info.to < state.oldest) return true;
  auto query = statements.query(select_row_hash);
  if (!query) return false;
  query->bind(1, info.to);
  const auto row = query->step();
  if (!row || !*row) return false;
  RowReader reader(*query);
  const auto hash = reader.digest();
  return reader.ok() && hash == info.last_row_hash;
}

}  // namespace annals::store::sqlite
