#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "annals/log_state.hpp"
#include "annals/read.hpp"
#include "annals/record.hpp"
#include "annals/result.hpp"
#include "log/ports/admin_store.hpp"
#include "store/sqlite/handle.hpp"

namespace annals::store::sqlite {

// Rows to values and back. Everything read is checked: type, size, range; a row that cannot be what
// the program wrote is `store_corrupt`, naming it.

/// A bound of numbers as SQLite can take it, whose integers are signed: no event is above.
[[nodiscard]] constexpr std::uint64_t bounded(std::uint64_t number) noexcept {
  return number <= max_seq ? number : max_seq + 1;
}

/// Reads the columns of a row one after the other and remembers whether all were what was asked.
/// Used on one thread; must not outlive the row.
class RowReader {
 public:
  explicit RowReader(Query& query, int first_column = 0) noexcept
      : query_(query),
        column_(first_column) {}

  std::int64_t integer();
  std::optional<std::int64_t> optional_integer();
  std::uint64_t counter();  ///< 0 to 2^53 - 1.
  std::optional<std::uint64_t> optional_counter();
  bool flag();
  Timestamp time();
  std::optional<Timestamp> optional_time();
  std::string text();
  std::optional<std::string> optional_text();
  Uuid uuid();
  Digest digest();
  std::optional<Digest> optional_digest();
  std::optional<Salt> optional_salt();

  /// False when a column was something else than asked.
  [[nodiscard]] bool ok() const noexcept { return ok_; }

 private:
  bool null_here();
  bool is(int type);
  template <typename Bytes>
  void copy_blob(Bytes& out);

  Query& query_;
  int column_;
  bool ok_ = true;
};

/// The record in the current row of a query with the event columns; the digests of present parts
/// are computed.
Result<Record> read_record(Query& query, const Uuid& log_id);

/// Binds the parameters of `insert_event`. The record must live until the query ends.
void bind_record(Query& query, const Record& record);

/// The state in the current row of `select_log_state`.
Result<LogState> read_state(Query& query);

/// Runs `select_log_state`.
Result<LogState> load_state(Statements& statements);

/// The head in the current row of a query with the head columns.
Result<StreamHead> read_head(Query& query);

}  // namespace annals::store::sqlite
