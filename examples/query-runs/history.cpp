#include "history.hpp"

namespace query_runs {

namespace {

/// Readers narrow by labels; what they want to know of a run is in the payload.
annals::NewEvent event_of(const Run& run) {
  annals::NewEvent event;
  event.id = run.id;
  event.type = "query.run.finished";
  event.occurred_at = run.started_at;
  event.stream = "query/" + run.query;
  event.resource.id = run.query;
  event.labels = {{"kind", run.kind},
                  {"query", run.query},
                  {"connection", run.connection},
                  {"status", run.status}};
  event.payload = R"({"duration_ms":)" + std::to_string(run.duration_ms);
  event.payload += run.error.empty() ? R"(,"rows":)" + std::to_string(run.rows)
                                     : R"(,"error":")" + run.error + '"';
  event.payload += '}';
  return event;
}

}  // namespace

bool History::create() {
  Transaction transaction(database_);
  const auto known = database_.ask("SELECT 1 FROM sqlite_schema WHERE name = 'runs'");
  if (known.rows > 0) return false;
  database_.change(
      "CREATE TABLE saved_queries (name TEXT PRIMARY KEY, sql TEXT NOT NULL) WITHOUT ROWID");
  database_.change(
      "CREATE TABLE runs ("
      " id TEXT PRIMARY KEY,"
      " query TEXT NOT NULL REFERENCES saved_queries (name) ON DELETE CASCADE,"
      " kind TEXT NOT NULL, connection TEXT NOT NULL, status TEXT NOT NULL,"
      " started_at TEXT NOT NULL, duration_ms INTEGER NOT NULL,"
      " example INTEGER NOT NULL DEFAULT 0)");
  save_query("daily-orders", "SELECT * FROM orders");
  save_query("late-orders", "SELECT * FROM orders WHERE is_late");
  database_.change(
      "INSERT INTO runs VALUES"
      " ('example-1', 'daily-orders', 'scheduled', 'shop', 'succeeded', '2026-01-05', 12, 1),"
      " ('example-2', 'daily-orders', 'manual', 'shop', 'succeeded', '2026-01-06', 9, 1),"
      " ('example-3', 'late-orders', 'manual', 'shop', 'failed', '2026-01-06', 3, 1)");
  transaction.commit();
  return true;
}

void History::save_query(const std::string& name, const std::string& sql) {
  database_.change("INSERT OR REPLACE INTO saved_queries VALUES (?1, ?2)", {name, sql});
}

void History::delete_query(const std::string& name) {
  database_.change("DELETE FROM saved_queries WHERE name = ?1", {name});
}

annals::Result<std::vector<Recorded>> History::record(annals::EventLog& log,
                                                      const std::vector<Run>& runs) {
  Transaction transaction(database_);
  std::vector<Recorded> recorded;
  std::vector<annals::NewEvent> events;
  for (const Run& run : runs) {
    recorded.push_back({.row = !run.sampled && insert(run)});
    events.push_back(event_of(run));
  }
  // Last: from here to the commit, everybody else who appends waits.
  const auto appended = log.append_in(database_.handle(), log.local_admin(), std::move(events));
  if (!appended) return std::unexpected(appended.error());
  transaction.commit();
  for (std::size_t i = 0; i < recorded.size(); ++i)
    recorded[i].seq = appended->events[i].seq;
  return recorded;
}

/// False when its query is gone: a row cannot stand without it, an event can.
bool History::insert(const Run& run) {
  return database_.change(
             "INSERT INTO runs (id, query, kind, connection, status, started_at, duration_ms)"
             " SELECT ?1, name, ?3, ?4, ?5, ?6, ?7 FROM saved_queries WHERE name = ?2",
             {to_string(run.id), run.query, run.kind, run.connection, run.status,
              annals::to_string(run.started_at), run.duration_ms}) > 0;
}

std::int64_t History::count(bool examples) const {
  return database_.ask("SELECT count(*) FROM runs WHERE example = ?1", {std::int64_t{examples}})
      .first;
}

}  // namespace query_runs
