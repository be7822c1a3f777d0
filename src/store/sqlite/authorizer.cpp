#include "store/sqlite/authorizer.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>

namespace annals::store::sqlite {
namespace {

/// Pragmas that only tell about the application's tables.
constexpr std::array<const char*, 9> introspection{
    "table_info",  "table_xinfo",      "table_list",   "index_list",   "index_info",
    "index_xinfo", "foreign_key_list", "data_version", "database_list"};

bool is_reserved(const char* name) noexcept {
  return name != nullptr &&
         sqlite3_strnicmp(name, reserved_prefix, static_cast<int>(sizeof reserved_prefix - 1)) == 0;
}

bool is_introspection(const char* name) noexcept {
  return name != nullptr && std::ranges::any_of(introspection, [&](const char* known) {
           return sqlite3_stricmp(name, known) == 0;
         });
}

constexpr std::string_view own_table = "it writes a table of the log";
constexpr std::string_view own_name = "names beginning with annals_ are the log's";

}  // namespace

std::string_view application_may_not(int action, const char* first, const char* second) noexcept {
  switch (action) {
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
      return is_reserved(first) ? own_table : std::string_view{};
    case SQLITE_ALTER_TABLE:  // first is the schema
      return is_reserved(second) ? own_table : std::string_view{};
    case SQLITE_CREATE_INDEX:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_CREATE_TRIGGER:
    case SQLITE_CREATE_TEMP_TRIGGER:
    case SQLITE_DROP_INDEX:
    case SQLITE_DROP_TEMP_INDEX:
    case SQLITE_DROP_TRIGGER:
    case SQLITE_DROP_TEMP_TRIGGER:
      if (is_reserved(first)) return own_name;
      return is_reserved(second) ? own_table : std::string_view{};
    case SQLITE_CREATE_TABLE:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_VIEW:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_CREATE_VTABLE:
    case SQLITE_DROP_TABLE:
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_DROP_VIEW:
    case SQLITE_DROP_TEMP_VIEW:
    case SQLITE_DROP_VTABLE:
    case SQLITE_ANALYZE:
    case SQLITE_REINDEX:
      return is_reserved(first) ? own_name : std::string_view{};
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
      return "the unit of work begins and ends the transaction";
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
      return "other files do not commit together with this one";
    case SQLITE_PRAGMA:
      return is_introspection(first) ? std::string_view{} : "it changes or reads settings";
    case SQLITE_READ:
    case SQLITE_SELECT:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
      return {};
    default:
      return "it is not known to be harmless";
  }
}

}  // namespace annals::store::sqlite
