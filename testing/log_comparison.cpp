#include "testing/log_comparison.hpp"

#include <utility>

namespace annals::test {

namespace {

using Outcome = JournalEntry::Outcome;

std::string at_seq(std::uint64_t seq) {
  return " at seq " + std::to_string(seq);
}

}  // namespace

void LogComparison::add(const StoredEvent& event) {
  if (event.seq != head_ + 1) {
    problem("seq " + std::to_string(event.seq) + " where " + std::to_string(head_ + 1) +
            " was expected");
  }
  head_ = event.seq;
  const Known known{{event.seq, event.stream_seq, event.hash}, false};
  if (!by_token_.emplace(event.token, known).second) {
    problem("stored twice: " + to_string(event.token) + at_seq(event.seq));
  }
  unchecked_.push_back(event.token);
  check_stream(event);
}

LogComparison::Counts LogComparison::check(const Journal& journal) {
  // First what may be there at all: an event refused once may have been sent again with success.
  for (const auto& entry : journal) {
    if (entry.outcome == Outcome::refused) continue;
    for (const auto& token : entry.tokens) {
      const auto found = by_token_.find(token);
      if (found != by_token_.end()) found->second.sent = true;
    }
  }
  Counts counts;
  for (const auto& entry : journal)
    check_entry(entry, counts);
  for (const auto& token : unchecked_) {
    const Known& known = by_token_.at(token);
    if (!known.sent) problem("stored, but sent by nobody or refused" + at_seq(known.place.seq));
  }
  unchecked_.clear();
  return counts;
}

void LogComparison::problem(std::string text) {
  constexpr std::size_t most = 20;
  if (problems_.size() < most) problems_.push_back(std::move(text));
}

void LogComparison::check_stream(const StoredEvent& event) {
  if (event.stream.has_value() != event.stream_seq.has_value()) {
    problem("stream and stream_seq do not go together" + at_seq(event.seq));
  }
  if (!event.stream) return;
  const auto expected = ++versions_[*event.stream];
  if (event.stream_seq != expected) {
    problem("stream_seq " + std::to_string(event.stream_seq.value_or(0)) + " where " +
            std::to_string(expected) + " was expected" + at_seq(event.seq));
  }
}

void LogComparison::check_entry(const JournalEntry& entry, Counts& counts) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < entry.tokens.size(); ++i) {
    const auto at = by_token_.find(entry.tokens[i]);
    const Known* known = at == by_token_.end() ? nullptr : &at->second;
    found += known == nullptr ? 0 : 1;
    check_event(entry, i, known, counts);
  }
  const bool partly = found != 0 && found != entry.tokens.size();
  if (entry.outcome == Outcome::unanswered && partly) {
    problem("request stored in part, first event " + to_string(entry.tokens.front()));
  }
}

void LogComparison::check_event(const JournalEntry& entry, std::size_t index, const Known* known,
                                Counts& counts) {
  switch (entry.outcome) {
    case Outcome::accepted:
      ++counts.accepted;
      if (known == nullptr) {
        problem("acknowledged but not stored: " + to_string(entry.tokens[index]));
      } else if (!entry.places.empty() &&
                 (index >= entry.places.size() || entry.places[index] != known->place)) {
        problem("not where the answer said:" + at_seq(known->place.seq));
      }
      return;
    case Outcome::refused:
      ++counts.refused;
      if (known != nullptr && !known->sent) {
        problem("refused but stored:" + at_seq(known->place.seq));
      }
      return;
    case Outcome::unanswered:
      ++counts.unanswered;
      counts.unanswered_stored += known == nullptr ? 0 : 1;
      return;
  }
}

}  // namespace annals::test
