#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "annals/append.hpp"
#include "annals/digest.hpp"
#include "annals/record.hpp"
#include "annals/result.hpp"
#include "annals/uuid.hpp"
#include "testing/fd.hpp"

namespace annals::test {

/// Where an answer said that an event is.
struct AnsweredPlace {
  std::uint64_t seq = 0;
  std::optional<std::uint64_t> stream_seq;
  Digest hash{};

  friend bool operator==(const AnsweredPlace&, const AnsweredPlace&) = default;
};

/// Writes down what one run of a program asked a log to store and what it was answered, so that it
/// can be compared with the log after the program or the log was killed at any moment. One line,
/// one write: what a call has returned from survives `kill -9`. An event is known by a token, a
/// UUID that the test gives it in a member of its choice. Thread-safe.
class AppendRecorder {
 public:
  /// Creates `file`, which must not exist. Throws std::system_error.
  explicit AppendRecorder(const std::filesystem::path& file);

  /// Before a request is sent: the tokens of its events. Returns the request's number.
  std::uint64_t sending(std::span<const Uuid> tokens);

  /// The request was answered: its events are durable at these places, in the request's order.
  void accepted(std::uint64_t request, std::span<const AnsweredPlace> places,
                const std::optional<Receipt>& receipt);

  /// The request is durable, without places: an enqueued one after a successful flush.
  void durable(std::uint64_t request);

  /// The request was answered: nothing of it was stored.
  void refused(std::uint64_t request);

  /// Records an answer of the library; `commit_unknown` counts as unanswered.
  void answered(std::uint64_t request, const Result<AppendResult>& answer);

 private:
  void write(std::string line) const;

  Fd fd_;
  std::atomic<std::uint64_t> requests_{0};
};

/// What one request of a journal came to.
struct JournalEntry {
  enum class Outcome : std::uint8_t { unanswered, accepted, refused };

  std::vector<Uuid> tokens;
  Outcome outcome = Outcome::unanswered;
  std::vector<AnsweredPlace> places;  ///< Empty when unknown.
  std::optional<Receipt> receipt;
};

/// The requests of some runs in the order in which they were sent. Plain value.
using Journal = std::vector<JournalEntry>;

/// Adds the requests of one file to `journal`. A last line that the kill has torn is as if it had
/// never been written. False when the file cannot be read.
bool load_journal(const std::filesystem::path& file, Journal& journal);

/// The receipt with the highest head; `nullopt` when there is none.
[[nodiscard]] std::optional<Receipt> last_receipt(const Journal& journal);

}  // namespace annals::test
