#pragma once

#include <string>
#include <string_view>

#include "annals/error.hpp"

struct sqlite3;

namespace annals::store::sqlite {

/// What a result code of SQLite, primary or extended, means to the caller:
/// - no space, for the file or for the shared memory of its log: `store_full`
/// - I/O error, cannot open, read-only, no memory: `store_unavailable`
/// - not a database, malformed, or a schema that is not ours: `store_corrupt`
/// - locked by others for too long: `busy`
/// - constraint: `store_corrupt` when a trigger that guards history refused, else `internal`
/// - anything else: `internal`
[[nodiscard]] ErrorCode error_code(int sqlite_code) noexcept;

/// The error of the last failed call on `connection`, with SQLite's message, which names tables and
/// columns but never values. `sqlite_code` is what the call returned.
[[nodiscard]] Error to_error(sqlite3* connection, int sqlite_code);

/// True when the connection must not be trusted after this: failed reads, writes, syncs, damage.
[[nodiscard]] bool spoils_connection(const Error& error) noexcept;

/// An error about stored data that contradicts itself.
[[nodiscard]] Error corrupt(std::string_view what);

}  // namespace annals::store::sqlite
