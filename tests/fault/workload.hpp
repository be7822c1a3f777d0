#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "annals/event_log.hpp"
#include "testing/append_recorder.hpp"
#include "testing/event_gen.hpp"

namespace annals::test {

/// What a change that is no append was answered.
enum class Answer : std::uint8_t { not_asked, done, refused, unknown };

/// What a workload asks for besides events, and what it was answered.
struct AskedChanges {
  std::set<std::string> rows;            ///< Of the application, whatever became of them.
  std::string key;                       ///< Name of the key; unique in the log.
  Answer created = Answer::not_asked;    ///< The key.
  Answer revoked = Answer::not_asked;    ///< The same key.
  Answer catalogue = Answer::not_asked;  ///< The first and only catalogue.
};

/// A program that writes to a log in one file in every way there is, and writes down what it was
/// answered. It goes on whatever happens to it. Used on one thread.
class Workload {
 public:
  /// The application's table, in the log's file. A unit of work writes the id of its first event.
  static constexpr auto table = "fault_notes";

  /// Writes to the log at `file`, which may be there, and notes to a new file `journal`.
  /// Keeps nothing of the volume free, so that it can be filled up.
  Workload(std::filesystem::path file, const std::filesystem::path& journal, std::uint64_t seed);
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;
  ~Workload();

  /// Opens the log, creating it when there is none.
  Result<void> open();

  /// Opens the log and makes the application's table and a few events. Throws std::runtime_error.
  void prepare();

  /// Every kind of write once, closing and opening in between.
  void run();

  /// Appends one event.
  Result<AppendResult> append_one();

  /// Sends every request again that was not acknowledged, as a producer does. Returns the first
  /// error.
  Result<void> repeat_unacknowledged();

  /// Closes the log, in good order as far as it can.
  void close() { log_.reset(); }

  /// The open log; null when it is closed.
  [[nodiscard]] EventLog* log() const noexcept { return log_.get(); }

  [[nodiscard]] const AskedChanges& changes() const noexcept { return changes_; }

  /// Every code that a call failed with, as text.
  [[nodiscard]] const std::set<std::string>& errors() const noexcept { return errors_; }

 private:
  struct Request {
    std::vector<NewEvent> events;
    std::vector<Uuid> tokens;
    bool in_unit = false;
  };

  Request make_request(std::size_t count);
  Result<AppendResult> send(Request request, AppendOptions options = {});
  Result<AppendResult> send_in_unit(const Request& request);
  Result<AppendResult> record(std::uint64_t number, Request request, Result<AppendResult> answer);
  Answer note(const std::optional<Error>& error);

  void append_many();
  void append_repeated();
  void append_expecting();
  void append_queued();
  void unit_of_work();
  void create_key();
  void revoke_key();
  void apply_catalogue();
  void checkpoint();
  void reopen();

  const std::filesystem::path file_;
  AppendRecorder recorder_;
  EventGen generator_;
  std::unique_ptr<EventLog> log_;
  std::optional<Request> last_accepted_;
  std::vector<Request> unacknowledged_;
  AskedChanges changes_;
  std::set<std::string> errors_;
};

}  // namespace annals::test
