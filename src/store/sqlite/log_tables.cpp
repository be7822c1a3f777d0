#include "store/sqlite/log_tables.hpp"

#include <sqlite3.h>

#include "store/common/placement_check.hpp"
#include "store/sqlite/codec.hpp"
#include "store/sqlite/error.hpp"
#include "store/sqlite/statements.hpp"

namespace annals::store::sqlite {
namespace {

/// Runs a compare-and-set: exactly one row must have been as expected.
Result<void> set_one(Statements& statements, Query query, const std::string& what) {
  if (auto done = query.run(); !done) return done;
  if (sqlite3_changes(statements.connection()) == 1) return {};
  return std::unexpected(corrupt(what));
}

Result<void> advance_state(Statements& statements, const LogState& before, const LogState& after) {
  auto query = statements.query(advance_log_state);
  if (!query) return std::unexpected(query.error());
  query->bind(1, after.event_seq)
      .bind(2, after.log_hash)
      .bind(3, after.permission_version)
      .bind(4, after.last_recorded_at.time_since_epoch().count())
      .bind(5, before.event_seq)
      .bind(6, before.log_hash)
      .bind(7, before.permission_version);
  return set_one(statements, std::move(*query),
                 "the state is not what the placement was made for (seq " +
                     std::to_string(before.event_seq) + ")");
}

Result<void> set_head(Statements& statements, const StreamChange& change) {
  const auto& head = *change.after;
  auto query = statements.query(change.before == 0 ? insert_head : advance_head);
  if (!query) return std::unexpected(query.error());
  query->bind(1, std::string_view(head.stream)).bind(2, head.version).bind(3, head.hash);
  if (change.before != 0) query->bind(4, change.before).bind(5, *change.before_hash);
  return set_one(statements, std::move(*query),
                 "the head of a stream is not what the placement was made for (version " +
                     std::to_string(change.before) + ")");
}

Result<void> insert_rows(Statements& statements, const core::Placement& placement) {
  for (const auto& record : placement.records) {
    auto query = statements.query(insert_event);
    if (!query) return std::unexpected(query.error());
    bind_record(*query, record);
    if (auto done = query->run(); !done) return done;
  }
  for (const auto& mark : placement.marks) {
    auto query = statements.query(insert_mark);
    if (!query) return std::unexpected(query.error());
    query->bind(1, mark.seq).bind(2, mark.log_hash);
    if (auto done = query->run(); !done) return done;
  }
  return {};
}

}  // namespace

Result<std::vector<std::optional<StreamHead>>> find_heads(Statements& statements,
                                                          std::span<const std::string> streams) {
  std::vector<std::optional<StreamHead>> heads;
  heads.reserve(streams.size());
  for (const auto& stream : streams) {
    auto query = statements.query(select_head);
    if (!query) return std::unexpected(query.error());
    query->bind(1, std::string_view(stream));
    const auto row = query->step();
    if (!row) return std::unexpected(row.error());
    if (!*row) {
      heads.emplace_back();
      continue;
    }
    auto head = read_head(*query);
    if (!head) return std::unexpected(head.error());
    heads.emplace_back(std::move(*head));
  }
  return heads;
}

Result<std::vector<std::optional<Record>>> find_records(Statements& statements, const Uuid& log_id,
                                                        std::span<const Uuid> ids) {
  std::vector<std::optional<Record>> records;
  records.reserve(ids.size());
  for (const auto& id : ids) {
    auto query = statements.query(select_stored_by_id);
    if (!query) return std::unexpected(query.error());
    query->bind(1, id.bytes);
    const auto row = query->step();
    if (!row) return std::unexpected(row.error());
    if (!*row) {
      records.emplace_back();
      continue;
    }
    auto record = read_record(*query, log_id);
    if (!record) return std::unexpected(record.error());
    records.emplace_back(std::move(*record));
  }
  return records;
}

Result<void> append_placement(Statements& statements, const core::Placement& placement) {
  const auto changes = check_placement(placement);
  if (!changes) return std::unexpected(changes.error());
  if (auto done = advance_state(statements, placement.before, placement.after); !done) return done;
  for (const auto& [stream, change] : *changes) {
    if (auto done = set_head(statements, change); !done) return done;
  }
  return insert_rows(statements, placement);
}

}  // namespace annals::store::sqlite
