#include "store/sqlite/enlist.hpp"

#include <sqlite3.h>

#include <system_error>

#include "store/sqlite/error.hpp"
#include "store/sqlite/schema.hpp"
#include "store/sqlite/statements.hpp"
#include "store/sqlite/transaction.hpp"

namespace annals::store::sqlite {
namespace {

/// A transaction of the application: it keeps the connection, its settings, commit and rollback.
/// The statements are finalised with this. Used on the application's thread.
class EnlistedTransaction final : public Transaction {
 public:
  EnlistedTransaction(std::unique_ptr<Statements> statements, const Uuid& log_id)
      : Transaction(*statements, log_id),
        owned_(std::move(statements)) {}

  log::SqlSession* sql() override { return nullptr; }

  Result<void> commit() override {
    if (auto may = status().committable(); !may) return may;
    status().set_over();
    return {};
  }

  void rollback() noexcept override { status().set_over(); }

 private:
  std::unique_ptr<Statements> owned_;
};

std::unexpected<Error> lacks(std::string_view what) {
  return fail(ErrorCode::invalid_request,
              "this connection cannot carry events: " + std::string(what));
}

Result<std::int64_t> setting(Statements& statements, const char* pragma) {
  auto query = statements.query(pragma);
  if (!query) return std::unexpected(query.error());
  const auto row = query->step();
  if (!row) return std::unexpected(row.error());
  return query->integer(0);
}

Result<void> check_file(sqlite3* connection, const std::filesystem::path& path) {
  const char* name = sqlite3_db_filename(connection, "main");
  std::error_code error;
  if (name == nullptr || *name == '\0' || !std::filesystem::equivalent(name, path, error)) {
    return lacks("its main database is not the file of the log");
  }
  // Number 0 is main, number 1 the temporary one.
  if (sqlite3_db_name(connection, 2) != nullptr) {
    return lacks("other files are attached, which do not commit together with the log's");
  }
  return {};
}

constexpr char application_id_pragma[] = "PRAGMA main.application_id";
constexpr char user_version_pragma[] = "PRAGMA main.user_version";
constexpr char synchronous_pragma[] = "PRAGMA main.synchronous";

Result<void> check_settings(Statements& statements) {
  const auto id = setting(statements, application_id_pragma);
  if (!id) return std::unexpected(id.error());
  const auto version = setting(statements, user_version_pragma);
  if (!version) return std::unexpected(version.error());
  if (*id != application_id || *version != schema_version) {
    return std::unexpected(corrupt("the file is no log of this program's schema version any more"));
  }
  const auto synchronous = setting(statements, synchronous_pragma);
  if (!synchronous) return std::unexpected(synchronous.error());
  if (*synchronous < 2) {
    return lacks("PRAGMA synchronous must be FULL, or numbers could be given twice");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<log::WriteTransaction>> enlist(sqlite3* connection,
                                                      const std::filesystem::path& path,
                                                      const Uuid& log_id) {
  if (connection == nullptr) return lacks("it is none");
  if (sqlite3_get_autocommit(connection) != 0) return lacks("no transaction is open");
  if (auto fits = check_file(connection, path); !fits) return std::unexpected(fits.error());
  auto statements = std::make_unique<Statements>(connection);
  // First of all, so that nothing that is looked at afterwards can change.
  if (auto locked = statements->run(take_write_lock); !locked) {
    return std::unexpected(locked.error());
  }
  if (auto fits = check_settings(*statements); !fits) return std::unexpected(fits.error());
  return std::make_unique<EnlistedTransaction>(std::move(statements), log_id);
}

}  // namespace annals::store::sqlite
