#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "annals/event_log.hpp"
#include "database.hpp"

namespace query_runs {

/// A saved query that has run.
struct Run {
  annals::Uuid id;         ///< Of its row and of its event.
  std::string query;       ///< Its name.
  std::string kind;        ///< `manual` or `scheduled`
  std::string connection;  ///< The database it ran on.
  std::string status;      ///< `succeeded` or `failed`
  annals::Timestamp started_at;
  std::int64_t duration_ms = 0;
  std::int64_t rows = 0;
  std::string error;     ///< Of a run that failed.
  bool sampled = false;  ///< Left out of the history, which would fill up with runs that went well.
};

/// What became of a run.
struct Recorded {
  std::uint64_t seq = 0;  ///< Of its event.
  bool row = false;       ///< Whether the history has it.
};

/// The application's own tables, in the file of the log. Used on one thread. Throws
/// std::runtime_error for what SQLite refuses.
class History {
 public:
  /// `database` is a connection to the file of a log that is open, and must outlive this.
  explicit History(Database& database) : database_(database) {}

  /// Makes the tables, and puts something into them to look at: two saved queries, three example
  /// runs. These never happened, so there is no event of them. False when the tables were there.
  bool create();

  void save_query(const std::string& name, const std::string& sql);
  void delete_query(const std::string& name);

  /// Writes a batch of runs in one transaction: every run is an event; a row is written of those
  /// that are not sampled out and whose query is still there.
  annals::Result<std::vector<Recorded>> record(annals::EventLog& log, const std::vector<Run>& runs);

  /// Rows of runs, or of examples.
  [[nodiscard]] std::int64_t count(bool examples) const;

 private:
  bool insert(const Run& run);

  Database& database_;
};

}  // namespace query_runs
