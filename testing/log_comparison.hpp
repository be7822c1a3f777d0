#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "annals/digest.hpp"
#include "annals/uuid.hpp"
#include "testing/append_recorder.hpp"

namespace annals::test {

/// An event as found in the log.
struct StoredEvent {
  std::uint64_t seq = 0;
  Uuid token;
  std::optional<std::string> stream;
  std::optional<std::uint64_t> stream_seq;
  Digest hash{};
};

/// Compares what was answered with what is stored. Events are added in the order of the log, from
/// its first one on, and journals are checked in between: that shows each fault next to the run
/// that made it. The log has kept its promises when `problems` stays empty:
///
/// - seqs and the numbers of every stream have no hole, no event is there twice;
/// - acknowledged events are there, where the answer said;
/// - refused ones are not there;
/// - unanswered ones are there at most once, the events of a request all or none;
/// - nothing is there that nobody sent.
///
/// Used on one thread.
class LogComparison {
 public:
  /// How many events a check has looked at, by what became of them.
  struct Counts {
    std::size_t accepted = 0;
    std::size_t refused = 0;
    std::size_t unanswered = 0;
    std::size_t unanswered_stored = 0;
  };

  /// Adds the next event of the log.
  void add(const StoredEvent& event);

  /// Checks a journal against the events added so far, which must be all there are.
  Counts check(const Journal& journal);

  /// The seq of the event added last; 0 when there is none.
  [[nodiscard]] std::uint64_t head() const noexcept { return head_; }

  /// What is wrong, for people. At most 20.
  [[nodiscard]] const std::vector<std::string>& problems() const noexcept { return problems_; }

 private:
  struct Known {
    AnsweredPlace place;
    bool sent = false;  ///< A request that was not refused names it.
  };

  void problem(std::string text);
  void check_stream(const StoredEvent& event);
  void check_entry(const JournalEntry& entry, Counts& counts);
  void check_event(const JournalEntry& entry, std::size_t index, const Known* known,
                   Counts& counts);

  std::uint64_t head_ = 0;
  std::unordered_map<Uuid, Known> by_token_;
  std::unordered_map<std::string, std::uint64_t> versions_;
  std::vector<Uuid> unchecked_;  ///< Added since the last check.
  std::vector<std::string> problems_;
};

}  // namespace annals::test
