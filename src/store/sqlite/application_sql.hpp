#pragma once

#include "log/ports/store.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/transaction_status.hpp"

namespace annals::store::sqlite {

/// Most rows that a query of the application may return.
inline constexpr std::size_t max_result_rows = 10'000;

/// The application's statements inside the store's own write transaction. Used on its thread; must
/// not outlive it.
class ApplicationSql final : public log::SqlSession {
 public:
  ApplicationSql(Connection& connection, TransactionStatus& status) noexcept
      : connection_(connection),
        status_(status) {}

  Result<std::uint64_t> execute(std::string_view sql, std::span<const SqlValue> parameters,
                                SqlRows* rows) override;

 private:
  Result<std::uint64_t> run(std::string_view sql, std::span<const SqlValue> parameters,
                            SqlRows* rows);
  /// Turns SQLite's error of a statement of the application into the application's.
  Error refused(const Error& error) const;

  Connection& connection_;
  TransactionStatus& status_;
};

}  // namespace annals::store::sqlite
