#pragma once

#include "annals/result.hpp"
#include "store/sqlite/connection.hpp"

namespace annals::store::sqlite {

/// Makes the size of the connection's write-ahead log durable: SQLite cuts it without a sync.
/// Errors: `store_unavailable`.
Result<void> sync_wal(Connection& connection);

/// Makes what SQLite has recovered from the write-ahead log durable. After a failed sync the system
/// may show bytes that are not on the disk and that no sync brings there any more; a program that
/// starts then would build on a commit that a power failure takes away, and with it all that
/// follows. So every byte is written again, in place and unchanged, and synced.
///
/// Takes the write lock and does nothing when somebody else has it, for they have done it when they
/// opened the log; nor when the log is empty. Errors: `store_*`.
Result<void> rewrite_wal(Connection& connection);

}  // namespace annals::store::sqlite
