// The same id again gets the first result, however much has happened in between.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <variant>
#include <vector>

#include "testing/event_gen.hpp"
#include "testing/seed.hpp"
#include "testing/test_log.hpp"

namespace annals::test {
namespace {

/// How many other events come in between; a million in a long run.
std::uint64_t events_between() {
  return std::getenv("ANNALS_SOAK") == nullptr ? 100'000 : 1'000'000;
}

class Repeats : public testing::TestWithParam<Backend> {
 protected:
  void append_others(std::uint64_t count) {
    constexpr std::uint64_t batch = 1000;
    EventGen others(seed() + 1, {.id_percent = 100, .payload_bytes = 40, .edge_percent = 0});
    for (std::uint64_t done = 0; done < count; done += batch) {
      const auto appended =
          log_->append(log_->local_admin(), others.batch(std::min(batch, count - done)));
      ASSERT_TRUE(appended) << appended.error().detail;
    }
  }

  /// Sends the first request again and expects the first answer, with nothing written.
  void expect_first_answer(const std::vector<NewEvent>& events, const AppendResult& first) {
    const auto head = log_->state().value().event_seq;
    const auto again = log_->append(log_->local_admin(), events);
    ASSERT_TRUE(again) << again.error().detail;
    EXPECT_TRUE(again->duplicate);
    EXPECT_EQ(again->receipt, first.receipt);
    ASSERT_EQ(again->events.size(), first.events.size());
    for (std::size_t i = 0; i < first.events.size(); ++i) {
      AppendedEvent expected = first.events[i];
      expected.duplicate = true;
      EXPECT_EQ(again->events[i], expected);
    }
    EXPECT_EQ(log_->state().value().event_seq, head);
  }

  TestLog log_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Stores, Repeats, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

TEST_P(Repeats, GetTheFirstResult) {
  EventGen generator(seed(), {.id_percent = 100});
  const std::vector<NewEvent> single{generator.event()};
  const std::vector<NewEvent> batch = generator.batch(7);
  const auto single_answer = log_->append(log_->local_admin(), single);
  const auto batch_answer = log_->append(log_->local_admin(), batch);
  ASSERT_TRUE(single_answer && batch_answer);

  expect_first_answer(single, *single_answer);
  expect_first_answer(batch, *batch_answer);
  log_.restart();
  expect_first_answer(single, *single_answer);
  append_others(events_between());
  expect_first_answer(batch, *batch_answer);
  log_.restart();
  expect_first_answer(single, *single_answer);
  expect_first_answer(batch, *batch_answer);
}

TEST_P(Repeats, OtherContentIsAConflictThatNamesTheFirst) {
  EventGen generator(seed(), {.id_percent = 100});
  NewEvent event = generator.event();
  const auto first = log_->append(log_->local_admin(), event);
  ASSERT_TRUE(first) << first.error().detail;
  event.payload = R"({"other":"content"})";
  const auto again = log_->append(log_->local_admin(), event);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::id_conflict);
  const auto* known = std::get_if<KnownEvents>(&again.error().details);
  ASSERT_NE(known, nullptr);
  ASSERT_EQ(known->events.size(), 1U);
  EXPECT_EQ(known->events.front(), (KnownEvents::Known{0, *event.id, 1}));
  EXPECT_EQ(log_->state().value().event_seq, 1U);
}

}  // namespace
}  // namespace annals::test
