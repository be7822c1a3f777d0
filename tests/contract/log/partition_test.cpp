#include <gtest/gtest.h>

#include <atomic>

#include "testing/event_gen.hpp"
#include "testing/fake_ids.hpp"
#include "testing/seed.hpp"
#include "tests/contract/log/log_fixture.hpp"

namespace annals::test {
namespace {

/// However events are cut into requests, and however requests share groups: the log is the same.
class PartitionContract : public LogContract {
 protected:
  /// A log on a place of its own whose ids and salts depend on the order of the calls only.
  struct Run {
    std::unique_ptr<StoreFixture> place;
    std::unique_ptr<EventLog> log;
  };

  Run open_run() {
    Run run;
    run.place = GetParam().make();
    run.log = std::make_unique<EventLog>(run.place->make(), LogOptions{}, clock_,
                                         std::make_shared<FakeIds>(7));
    EXPECT_TRUE(run.log->open());
    return run;
  }

  static std::vector<Record> records_of(const EventLog& log) {
    auto page = log.read({.limit = 1000});
    EXPECT_TRUE(page);
    return page ? std::move(page->records) : std::vector<Record>{};
  }

  /// Appends `events` as requests of random sizes that all wait for one lock, so that they share as
  /// few groups as possible.
  static void append_together(EventLog& log, const std::vector<NewEvent>& events, Random& random) {
    auto unit = log.begin(log.local_admin());
    ASSERT_TRUE(unit);
    std::atomic<std::size_t> answered = 0;
    std::size_t requests = 0;
    for (std::size_t from = 0; from < events.size(); ++requests) {
      const std::size_t size = random.between(1, events.size() - from);
      const auto begin = events.begin() + static_cast<std::ptrdiff_t>(from);
      log.append_async(log.local_admin(), {begin, begin + static_cast<std::ptrdiff_t>(size)}, {},
                       [&](const Result<AppendResult>& result) {
                         EXPECT_TRUE(result) << result.error().detail;
                         ++answered;
                         answered.notify_all();
                       });
      from += size;
    }
    ASSERT_TRUE(unit->commit());
    for (std::size_t seen = answered; seen < requests; seen = answered)
      answered.wait(seen);
  }
};

TEST_P(PartitionContract, RequestsAndGroupsEqualSingleAppendsByteForByte) {
  Random random(seed());
  for (int round = 0; round < 25; ++round) {
    EventGen gen(random.bits(), {.streams = random.between(1, 6)});
    const std::vector<NewEvent> events = gen.batch(random.between(2, 20));
    const Run single = open_run();
    for (const NewEvent& event : events) {
      const auto result = single.log->append(single.log->local_admin(), event);
      ASSERT_TRUE(result) << result.error().detail;
    }
    const Run together = open_run();
    append_together(*together.log, events, random);

    const auto expected = records_of(*single.log);
    ASSERT_EQ(expected.size(), events.size());
    EXPECT_EQ(records_of(*together.log), expected);
    EXPECT_EQ(together.log->state()->log_hash, single.log->state()->log_hash);
    expect_verified(*single.log, events.size());
    expect_verified(*together.log, events.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, PartitionContract,
                         testing::Values(memory_backend(), sqlite_backend()), name_of_test);

}  // namespace
}  // namespace annals::test
