#include "testing/log_comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace annals::test {
namespace {

using Outcome = JournalEntry::Outcome;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Uuid token_of(std::uint8_t number) {
  Uuid token;
  token.bytes[0] = number;
  return token;
}

Digest hash_of(std::uint8_t number) {
  Digest hash{};
  hash[31] = number;
  return hash;
}

StoredEvent stored(std::uint64_t seq, std::uint8_t number) {
  return {seq, token_of(number), std::nullopt, std::nullopt, hash_of(number)};
}

StoredEvent in_stream(StoredEvent event, std::optional<std::uint64_t> stream_seq) {
  event.stream = "s";
  event.stream_seq = stream_seq;
  return event;
}

JournalEntry entry(Outcome outcome, const std::vector<std::uint8_t>& numbers,
                   std::vector<AnsweredPlace> places = {}) {
  JournalEntry out;
  for (const auto number : numbers)
    out.tokens.push_back(token_of(number));
  out.outcome = outcome;
  out.places = std::move(places);
  return out;
}

std::vector<std::string> problems(const Journal& journal, const std::vector<StoredEvent>& events) {
  LogComparison comparison;
  for (const auto& event : events)
    comparison.add(event);
  comparison.check(journal);
  return comparison.problems();
}

TEST(LogComparison, AnExactLogHasNoProblems) {
  LogComparison comparison;
  comparison.add(stored(1, 1));
  comparison.add(stored(2, 2));
  comparison.add(stored(3, 4));
  comparison.add(stored(4, 5));
  const auto counts = comparison.check(
      {entry(Outcome::accepted, {1, 2}, {{1, {}, hash_of(1)}, {2, {}, hash_of(2)}}),
       entry(Outcome::refused, {3}), entry(Outcome::unanswered, {4, 5}),
       entry(Outcome::unanswered, {6})});
  EXPECT_EQ(counts.accepted, 2U);
  EXPECT_EQ(counts.refused, 1U);
  EXPECT_EQ(counts.unanswered, 3U);
  EXPECT_EQ(counts.unanswered_stored, 2U);
  comparison.add(stored(5, 7));
  comparison.check({entry(Outcome::accepted, {7})});
  EXPECT_THAT(comparison.problems(), IsEmpty());
  EXPECT_EQ(comparison.head(), 5U);
}

TEST(LogComparison, FindsALostEvent) {
  EXPECT_THAT(problems({entry(Outcome::accepted, {1})}, {}),
              ElementsAre(HasSubstr("acknowledged but not stored")));
}

TEST(LogComparison, FindsARefusedEventThatIsStored) {
  EXPECT_THAT(problems({entry(Outcome::refused, {1})}, {stored(1, 1)}),
              ElementsAre(HasSubstr("refused but stored"), HasSubstr("sent by nobody or refused")));
}

TEST(LogComparison, ARefusedRepeatOfAStoredEventIsRight) {
  EXPECT_THAT(
      problems({entry(Outcome::unanswered, {1}), entry(Outcome::refused, {1})}, {stored(1, 1)}),
      IsEmpty());
}

TEST(LogComparison, FindsADouble) {
  EXPECT_THAT(problems({entry(Outcome::unanswered, {1})}, {stored(1, 1), stored(2, 1)}),
              ElementsAre(HasSubstr("twice")));
}

TEST(LogComparison, FindsAHoleAndAWrongStart) {
  EXPECT_THAT(problems({entry(Outcome::unanswered, {1}), entry(Outcome::unanswered, {2})},
                       {stored(1, 1), stored(3, 2)}),
              ElementsAre(HasSubstr("seq 3 where 2")));
  EXPECT_THAT(problems({entry(Outcome::unanswered, {1})}, {stored(2, 1)}),
              ElementsAre(HasSubstr("seq 2 where 1")));
}

TEST(LogComparison, FindsAWrongPlace) {
  const AnsweredPlace wrong_seq{2, {}, hash_of(1)};
  const AnsweredPlace wrong_stream_seq{1, 1, hash_of(1)};
  const AnsweredPlace wrong_hash{1, {}, hash_of(9)};
  for (const auto& said : {wrong_seq, wrong_stream_seq, wrong_hash}) {
    EXPECT_THAT(problems({entry(Outcome::accepted, {1}, {said})}, {stored(1, 1)}),
                ElementsAre(HasSubstr("not where")));
  }
}

TEST(LogComparison, FindsTooFewPlaces) {
  EXPECT_THAT(problems({entry(Outcome::accepted, {1, 2}, {{1, {}, hash_of(1)}})},
                       {stored(1, 1), stored(2, 2)}),
              ElementsAre(HasSubstr("not where")));
}

TEST(LogComparison, FindsAHalfStoredRequest) {
  EXPECT_THAT(problems({entry(Outcome::unanswered, {1, 2})}, {stored(1, 1)}),
              ElementsAre(HasSubstr("in part")));
}

TEST(LogComparison, FindsAStranger) {
  EXPECT_THAT(problems({}, {stored(1, 1)}), ElementsAre(HasSubstr("sent by nobody")));
}

TEST(LogComparison, FindsAHoleInAStream) {
  const Journal journal{entry(Outcome::unanswered, {1}), entry(Outcome::unanswered, {2})};
  const auto first = in_stream(stored(1, 1), 1);
  EXPECT_THAT(problems(journal, {first, in_stream(stored(2, 2), 2)}), IsEmpty());
  EXPECT_THAT(problems(journal, {first, in_stream(stored(2, 2), 3)}),
              ElementsAre(HasSubstr("stream_seq 3 where 2")));
  EXPECT_THAT(problems(journal, {first, in_stream(stored(2, 2), {})}),
              ElementsAre(HasSubstr("go together"), HasSubstr("stream_seq 0 where 2")));
}

}  // namespace
}  // namespace annals::test
