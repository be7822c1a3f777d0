#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/placement.hpp"
#include "store/sqlite/handle.hpp"

namespace annals::store::sqlite {

// The log's part of a write transaction, on whatever connection has it open.

/// Heads in the order asked, see `WriteTransaction::heads`.
Result<std::vector<std::optional<StreamHead>>> find_heads(Statements& statements,
                                                          std::span<const std::string> streams);

/// Stored records by id in the order asked, see `WriteTransaction::find_ids`.
Result<std::vector<std::optional<Record>>> find_records(Statements& statements, const Uuid& log_id,
                                                        std::span<const Uuid> ids);

/// The one function that advances the sequence, see `WriteTransaction::append`.
Result<void> append_placement(Statements& statements, const core::Placement& placement);

}  // namespace annals::store::sqlite
