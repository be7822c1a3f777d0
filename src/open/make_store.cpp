#include "open/make_store.hpp"

#include "store/memory/memory_store.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace annals {

Result<std::unique_ptr<log::Store>> make_store(std::string_view url, const OpenOptions& options) {
  constexpr std::string_view sqlite = "sqlite:";
  if (url == "memory:") return std::make_unique<store::MemoryStore>();
  if (url.starts_with(sqlite) && url.size() > sqlite.size()) {
    store::SqliteOptions sqlite_options;
    sqlite_options.path = url.substr(sqlite.size());
    sqlite_options.busy_timeout = options.sqlite_busy_timeout;
    sqlite_options.disk_reserve = options.sqlite_disk_reserve;
    return std::make_unique<store::SqliteStore>(std::move(sqlite_options));
  }
  return fail(ErrorCode::invalid_request,
              "a store is named sqlite:PATH, or memory: for one that is gone at the end");
}

}  // namespace annals
