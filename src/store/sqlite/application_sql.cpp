#include "store/sqlite/application_sql.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <charconv>

namespace annals::store::sqlite {
namespace {

/// The number in a parameter's name, `$1` or `?1`; 0 when it is not one.
std::size_t number_of(const char* name) {
  const std::string_view text = name;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? number : 0;
}

void bind_value(Query& query, int index, const SqlValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    query.bind(index, *integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    query.bind(index, *real);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    query.bind(index, std::string_view(*text));
  } else if (const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&value)) {
    query.bind(index, std::span<const std::uint8_t>(*bytes));
  } else {
    query.bind_null(index);
  }
}

/// Binds `$n` to the n-th parameter, wherever in the statement it stands.
Result<void> bind_all(sqlite3_stmt* statement, Query& query, std::span<const SqlValue> parameters) {
  std::size_t highest = 0;
  const int count = sqlite3_bind_parameter_count(statement);
  for (int index = 1; index <= count; ++index) {
    const char* name = sqlite3_bind_parameter_name(statement, index);
    // Numbers that `?5` leaves out have no name and no place in the text.
    const auto number = name == nullptr ? static_cast<std::size_t>(index) : number_of(name);
    if (number == 0) {
      return fail(ErrorCode::invalid_request, "parameters are named $1, $2, ...");
    }
    highest = std::max(highest, number);
    if (number <= parameters.size()) bind_value(query, index, parameters[number - 1]);
  }
  if (highest != parameters.size()) {
    return fail(ErrorCode::invalid_request, "the statement has " + std::to_string(highest) +
                                                " parameters, " +
                                                std::to_string(parameters.size()) + " are given");
  }
  return {};
}

SqlValue value_at(const Query& query, int column) {
  switch (query.type(column)) {
    case SQLITE_INTEGER:
      return query.integer(column);
    case SQLITE_FLOAT:
      return query.real(column);
    case SQLITE_TEXT:
      return std::string(query.text(column));
    case SQLITE_BLOB: {
      const auto bytes = query.blob(column);
      return std::vector<std::uint8_t>(bytes.begin(), bytes.end());
    }
    default:
      return std::monostate{};
  }
}

}  // namespace

Result<std::uint64_t> ApplicationSql::execute(std::string_view sql,
                                              std::span<const SqlValue> parameters, SqlRows* rows) {
  if (rows != nullptr) rows->clear();
  if (auto may = status_.committable(); !may) return std::unexpected(may.error());
  connection_.clear_refused();
  connection_.set_application(true);
  auto result = status_.read([&] { return run(sql, parameters, rows); });
  connection_.set_application(false);
  // `ON CONFLICT ROLLBACK` and some failures take the whole transaction away.
  if (sqlite3_get_autocommit(connection_.database().get()) != 0) status_.set_failed();
  return result;
}

Result<std::uint64_t> ApplicationSql::run(std::string_view sql,
                                          std::span<const SqlValue> parameters, SqlRows* rows) {
  // SQLite would stop reading there.
  if (sql.find('\0') != std::string_view::npos) {
    return fail(ErrorCode::invalid_request, "the statement contains U+0000");
  }
  auto* raw = connection_.database().get();
  std::string_view tail;
  auto statement = Statement::prepare(raw, sql, false, &tail);
  if (!statement) return std::unexpected(refused(statement.error()));
  if (statement->empty()) return fail(ErrorCode::invalid_request, "there is no statement");
  while (!tail.empty()) {
    // Comments and empty statements give nothing; anything else is a second statement.
    auto second = Statement::prepare(raw, tail, false, &tail);
    if (!second || !second->empty()) {
      return fail(ErrorCode::invalid_request, "one statement at a time");
    }
  }

  const auto changes_before = sqlite3_total_changes64(raw);
  Query query(statement->get());
  if (auto bound = bind_all(statement->get(), query, parameters); !bound) {
    return std::unexpected(bound.error());
  }
  const bool bounded = sqlite3_stmt_readonly(statement->get()) != 0;
  for (std::size_t count = 1;; ++count) {
    const auto row = query.step();
    if (!row) return std::unexpected(refused(row.error()));
    if (!*row) break;
    if (rows == nullptr) continue;
    if (bounded && count > max_result_rows) {
      Error error{ErrorCode::too_large, "the query has too many rows", {}, {}};
      error.details = LimitExceeded{"result_rows", max_result_rows};
      rows->clear();
      return std::unexpected(std::move(error));
    }
    auto& values = rows->emplace_back();
    for (int column = 0; column < query.column_count(); ++column) {
      values.push_back(value_at(query, column));
    }
  }
  if (sqlite3_total_changes64(raw) == changes_before) return std::uint64_t{0};
  return static_cast<std::uint64_t>(sqlite3_changes64(raw));
}

Error ApplicationSql::refused(const Error& error) const {
  if (!connection_.refused().empty()) {
    return Error{
        ErrorCode::not_allowed, "the statement is refused: " + connection_.refused(), {}, {}};
  }
  const auto kind = error.kind();
  if (kind == ErrorKind::unavailable || kind == ErrorKind::full) return error;
  return Error{ErrorCode::invalid_request, "the statement failed: " + error.detail, {}, {}};
}

}  // namespace annals::store::sqlite
