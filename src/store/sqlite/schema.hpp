#pragma once

#include <cstdint>

#include "annals/log_state.hpp"
#include "annals/result.hpp"
#include "log/ports/store.hpp"
#include "store/sqlite/handle.hpp"

namespace annals::store::sqlite {

/// `PRAGMA application_id` of a store: "Annl".
inline constexpr std::int64_t application_id = 0x416E6E6C;

/// `PRAGMA user_version` of the schema below.
inline constexpr int schema_version = 1;

/// Page size of files that the store makes itself.
inline constexpr int page_size = 8192;

/// What a file is.
enum class Identity : std::uint8_t {
  store,  ///< A log of this schema version.
  empty,  ///< A database without tables that nobody has claimed.
};

/// Looks at a file without changing it. `store_corrupt` with a text for people when it is something
/// else, or a log of a newer version.
Result<Identity> identify(Database& database);

/// Makes the tables and a new log in an empty database, in one transaction; does nothing when
/// another process was faster.
Result<void> create_schema(Database& database, const log::NewLog& new_log);

}  // namespace annals::store::sqlite
