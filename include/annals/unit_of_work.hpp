#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "annals/append.hpp"
#include "annals/event.hpp"
#include "annals/result.hpp"

namespace annals {

/// A bound parameter or a result column: SQL NULL, integer, real, text, or bytes.
using SqlValue =
    std::variant<std::monostate, std::int64_t, double, std::string, std::vector<std::uint8_t>>;

/// Result rows of a query, small by contract: a unit of work is not for reports.
using SqlRows = std::vector<std::vector<SqlValue>>;

/// The steps of a unit of work, in the order in which they run.
enum class UnitPhase : std::uint8_t {
  work,          ///< From `begin` to `commit`: the application's statements and appends.
  rights_check,  ///< First hooks of `commit`; may still append.
  sync,          ///< The log gives the events their places. Hooks run before that step.
  audit,         ///< Hooks that may insert into their own tables, under the sequence lock.
};

/// `work`, `rights_check`, `sync`, `audit`.
[[nodiscard]] std::string_view to_string(UnitPhase phase) noexcept;

/// One transaction of the application in which events are appended. The events get their numbers in
/// the sync step, the last before the audit hooks and the commit; nothing is visible to anybody
/// before, and a unit that fails or is destroyed without `commit` leaves nothing.
///
/// Used on one thread at a time, by one owner; movable. It holds the store's write lock for its
/// whole life (SQLite), so it lasts at most `unit.max_duration`; then it is rolled back and every
/// call fails with `busy`.
class UnitOfWork {
 public:
  UnitOfWork(UnitOfWork&&) noexcept;
  UnitOfWork& operator=(UnitOfWork&&) noexcept;
  UnitOfWork(const UnitOfWork&) = delete;
  UnitOfWork& operator=(const UnitOfWork&) = delete;

  /// Rolls back unless committed.
  ~UnitOfWork();

  /// Runs one statement of the application with parameters `$1`, `$2`, ...; returns the number of
  /// changed rows. Statements that touch the log's own tables, end the transaction or attach files
  /// are refused with `not_allowed`. A failing statement leaves the unit usable.
  Result<std::uint64_t> execute(std::string_view sql, std::span<const SqlValue> parameters);

  /// The same with the parameters written out.
  Result<std::uint64_t> execute(std::string_view sql,
                                std::initializer_list<SqlValue> parameters = {});

  /// Runs one query of the application and returns all its rows.
  Result<SqlRows> query(std::string_view sql, std::initializer_list<SqlValue> parameters = {});

  /// Validates the event now, with the unit's capability, and buffers it. Legal in `work` and
  /// `rights_check`; afterwards `invalid_request`. Returns the id it will have.
  Result<Uuid> append(NewEvent event);

  /// States an expectation about a stream, checked in the sync step.
  Result<void> expect(std::string stream, ExpectedVersion expected);

  /// Which phase runs now.
  [[nodiscard]] UnitPhase phase() const noexcept;

  /// The events' places; only in audit hooks and empty before.
  [[nodiscard]] const std::vector<AppendedEvent>& appended() const noexcept;

  /// Runs the phases, then commits. A unit without events takes no sequence lock, wakes nobody and
  /// returns an empty result with the receipt of no event (head 0). On any error everything of the
  /// unit is rolled back; only `commit_unknown` leaves it open whether it was stored.
  Result<AppendResult> commit();

  /// Gives everything up now.
  void rollback() noexcept;

  /// Made by `EventLog::begin`.
  class Impl;

  /// For `EventLog::begin`.
  explicit UnitOfWork(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

/// A function of the application that runs in a phase of every unit. An error fails the unit. It
/// must not keep the reference.
using UnitHook = std::function<Result<void>(UnitOfWork&)>;

}  // namespace annals
