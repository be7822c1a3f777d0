#pragma once

#include <filesystem>
#include <memory>

#include "log/ports/store.hpp"

struct sqlite3;

namespace annals::store::sqlite {

/// Joins the transaction that is open on a connection of the application, see
/// `ForeignTransactions::enlist`. `path` is the store's file.
Result<std::unique_ptr<log::WriteTransaction>> enlist(sqlite3* connection,
                                                      const std::filesystem::path& path,
                                                      const Uuid& log_id);

}  // namespace annals::store::sqlite
