#include "tests/fault/audit.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "core/catalogue.hpp"
#include "testing/append_recorder.hpp"
#include "testing/log_comparison.hpp"

namespace annals::test {

namespace {

/// One look at a log, and what is wrong with it.
class Audit {
 public:
  Audit(EventLog& log, const AskedChanges& changes) : log_(log), changes_(changes) {}

  std::vector<std::string> run(const std::vector<std::filesystem::path>& journals) {
    for (const auto& journal : journals) {
      if (!load_journal(journal, journal_)) problem("a journal cannot be read");
    }
    if (!read_events()) return problems_;
    comparison_.check(journal_);
    problems_.insert(problems_.end(), comparison_.problems().begin(), comparison_.problems().end());
    check_state();
    check_proof();
    check_rows();
    check_keys();
    check_catalogue();
    return problems_;
  }

 private:
  void problem(std::string text) { problems_.push_back(std::move(text)); }

  template <typename T>
  bool readable(const Result<T>& result, const char* what) {
    if (!result) problem(std::string(what) + ": " + result.error().detail);
    return result.has_value();
  }

  bool read_events() {
    ReadOptions options;
    options.limit = 1000;
    while (true) {
      options.after = comparison_.head();
      const auto page = log_.read(options);
      if (!readable(page, "read")) return false;
      for (const auto& record : page->records)
        add(record);
      if (page->records.empty() || page->caught_up) return true;
    }
  }

  void add(const Record& record) {
    const Header& header = record.header;
    comparison_.add({header.seq, header.id, header.stream, header.stream_seq, record.row_hash});
    ids_.insert(to_string(header.id));
    const bool own = header.type.starts_with("access.") || header.type.starts_with("log.");
    if (!own) return;
    // The log's own events are sent by nobody who would know their ids.
    journal_.push_back({{header.id}, JournalEntry::Outcome::unanswered, {}, std::nullopt});
    ++own_[{header.type, header.resource.id.value_or("")}];
  }

  void check_state() {
    const auto state = log_.state();
    if (readable(state, "state") && state->event_seq != comparison_.head()) {
      problem("head and last event differ");
    }
  }

  void check_proof() {
    VerifyOptions options;
    options.expect = last_receipt(journal_);
    const auto report = log_.verify(options);
    if (!readable(report, "verify")) return;
    for (const auto& finding : report->findings) {
      problem("verify: " + finding.verdict + " " + finding.what + " at seq " +
              std::to_string(finding.seq));
    }
  }

  /// A row is there exactly when the unit's event is: refused and lost ones leave neither.
  void check_rows() {
    auto unit = log_.begin(log_.local_admin());
    if (!readable(unit, "begin")) return;
    const auto rows = unit->query(std::string("SELECT token FROM ") + Workload::table);
    if (!readable(rows, "query")) return;
    std::set<std::string> seen;
    for (const auto& row : *rows) {
      const auto& token = std::get<std::string>(row.front());
      if (!ids_.contains(token)) problem("a row without its event");
      if (!seen.insert(token).second) problem("a row twice");
    }
    for (const auto& token : changes_.rows) {
      if (ids_.contains(token) && !seen.contains(token)) problem("an event without its row");
    }
  }

  void check_keys() {
    const auto keys = log_.keys();
    if (!readable(keys, "keys")) return;
    std::size_t made = 0;
    std::size_t revoked = 0;
    for (const auto& key : *keys) {
      const auto id = to_string(key.key_id);
      if (key.name == changes_.key) {
        ++made;
        revoked += key.revoked_at ? 1 : 0;
      }
      const bool is_made = own_[{"access.key_created", id}] == 1;
      const bool is_revoked = own_[{"access.key_revoked", id}] == 1;
      if (key.name.starts_with("key ") && !is_made) problem("a key without its event");
      if (key.revoked_at.has_value() != is_revoked) problem("a revocation and its event differ");
    }
    check_answer("the key", changes_.created, made);
    check_answer("the revocation", changes_.revoked, revoked);
  }

  void check_catalogue() {
    const auto count = own_[{"log.catalogue_changed", ""}];
    if ((log_.catalogue()->entries().empty() ? 0U : 1U) != count) {
      problem("the catalogue and its events differ");
    }
    check_answer("the catalogue", changes_.catalogue, count);
  }

  void check_answer(const std::string& what, Answer answer, std::size_t count) {
    if (count > 1) problem(what + " is there more than once");
    if (answer == Answer::done && count == 0) problem(what + " was acknowledged and is not there");
    const bool never = answer == Answer::refused || answer == Answer::not_asked;
    if (never && count != 0) problem(what + " was refused and is there");
  }

  EventLog& log_;
  const AskedChanges& changes_;
  Journal journal_;
  LogComparison comparison_;
  std::set<std::string> ids_;
  std::map<std::pair<std::string, std::string>, std::size_t> own_;  ///< By type and resource.
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> audit(EventLog& log, const std::vector<std::filesystem::path>& journals,
                               const AskedChanges& changes) {
  return Audit(log, changes).run(journals);
}

}  // namespace annals::test
