// Pages with a filter: what they return and how far they say they looked.
#include <algorithm>

#include "core/filter.hpp"
#include "testing/contract/filter_gen.hpp"
#include "testing/event_gen.hpp"
#include "testing/random.hpp"
#include "tests/contract/store/store_contract.hpp"

namespace annals::test {
namespace {

using Numbers = std::vector<std::uint64_t>;

Numbers seqs(const std::vector<Record>& records) {
  Numbers numbers;
  for (const auto& record : records)
    numbers.push_back(record.header.seq);
  return numbers;
}

/// Events of types t.even and t.odd, each with its number as a label.
std::vector<NewEvent> numbered(int count) {
  std::vector<NewEvent> events;
  for (int i = 1; i <= count; ++i) {
    auto event = EventWriter::event("s" + std::to_string(i % 3));
    event.type = i % 2 == 0 ? "t.even" : "t.odd";
    event.labels = {{"n", std::to_string(i)}};
    events.push_back(std::move(event));
  }
  return events;
}

const Filter even{.type = "t.even"};

TEST_P(StoreContract, AFilteredPageHasMatchesOnly) {
  append(numbered(10));
  auto& events = store().events();
  auto page = value(events.page({.limit = 3, .filter = even}));
  EXPECT_EQ(seqs(page.records), (Numbers{2, 4, 6}));
  EXPECT_EQ(page.scanned, 6U);
  EXPECT_FALSE(page.caught_up);
  page = value(events.page({.after = 6, .limit = 3, .filter = even}));
  EXPECT_EQ(seqs(page.records), (Numbers{8, 10}));
  EXPECT_EQ(page.scanned, 10U);
  EXPECT_TRUE(page.caught_up);
  page = value(events.page({.limit = 3, .order = Order::backward, .filter = even}));
  EXPECT_EQ(seqs(page.records), (Numbers{10, 8, 6}));
  EXPECT_EQ(page.scanned, 6U);
  page = value(events.page({.before = 6, .order = Order::backward, .filter = even}));
  EXPECT_EQ(seqs(page.records), (Numbers{4, 2}));
  EXPECT_EQ(page.scanned, 1U);
}

TEST_P(StoreContract, AFilteredPageWithoutAMatchSaysHowFarItLooked) {
  append(numbered(10));
  const Filter nothing{.type = "t.never"};
  auto& events = store().events();
  auto page = value(events.page({.filter = nothing}));
  EXPECT_TRUE(page.records.empty());
  EXPECT_EQ(page.scanned, 10U);
  EXPECT_TRUE(page.caught_up);
  page = value(events.page({.order = Order::backward, .filter = nothing}));
  EXPECT_TRUE(page.records.empty());
  EXPECT_EQ(page.scanned, 1U);
}

TEST_P(StoreContract, APageWithoutAFilterSaysHowFarItLookedToo) {
  append(numbered(4));
  auto& events = store().events();
  EXPECT_EQ(value(events.page({.limit = 3})).scanned, 3U);
  EXPECT_EQ(value(events.page({.after = 4})).scanned, 4U);
  EXPECT_EQ(value(events.page({.limit = 3, .order = Order::backward})).scanned, 2U);
  EXPECT_EQ(value(events.page({.before = 1, .order = Order::backward})).scanned, 1U);
  fixture().cut(3);
  EXPECT_EQ(value(events.page({.order = Order::backward})).scanned, 3U);
}

TEST_P(StoreContract, AnEmptyLogHasNothingToLookAt) {
  auto& events = store().events();
  EXPECT_EQ(value(events.page({.filter = even})).scanned, 0U);
  EXPECT_TRUE(value(events.page({.filter = even})).caught_up);
  EXPECT_EQ(value(events.page({.order = Order::backward, .filter = even})).scanned, 1U);
}

TEST_P(StoreContract, APageNeverSkipsAMatchToStayWithinMaxScan) {
  append(numbered(20));
  const Filter last{.labels = {{"n", "20"}}};
  auto& events = store().events();
  std::uint64_t after = 0;
  for (int pages = 0; pages < 20; ++pages) {
    const auto page = value(events.page({.after = after, .filter = last, .max_scan = 3}));
    ASSERT_GT(page.scanned, after);
    after = page.scanned;
    if (!page.records.empty()) {
      EXPECT_EQ(seqs(page.records), (Numbers{20}));
      EXPECT_TRUE(page.caught_up);
      return;
    }
    EXPECT_FALSE(page.caught_up);
  }
  FAIL() << "the match was never returned";
}

TEST_P(StoreContract, APageLooksAtOneEventAtLeast) {
  append(numbered(2));
  EXPECT_EQ(code_of(store().events().page({.max_scan = 0})), ErrorCode::invalid_request);
  EXPECT_EQ(seqs(value(store().events().page({.max_scan = 1})).records), (Numbers{1}));
}

TEST_P(StoreContract, EveryMemberOfAFilterNarrows) {
  auto events = numbered(3);
  auto& one = events[1];
  one.source = "till";
  one.scope = {"space", "channel", "thread"};
  one.actor = Actor{ActorKind::user, "alex"};
  one.resource = {"order", "42", std::nullopt};
  one.correlation_id = Uuid{{7}};
  one.labels["status"] = "paid";
  append(events);
  writer().clock().tick(std::chrono::hours(1));
  const auto later = writer().clock().now();
  append(numbered(1));
  const auto found = [&](const Filter& filter) {
    return seqs(value(store().events().page({.filter = filter})).records);
  };
  const Numbers second{2};
  EXPECT_EQ(found({.source = "till"}), second);
  EXPECT_EQ(found({.stream = "s2"}), second);
  EXPECT_EQ(found({.space = "space"}), second);
  EXPECT_EQ(found({.channel = "channel"}), second);
  EXPECT_EQ(found({.thread = "thread"}), second);
  EXPECT_EQ(found({.actor = "user/alex"}), second);
  EXPECT_EQ(found({.resource_kind = "order"}), second);
  EXPECT_EQ(found({.resource_id = "42"}), second);
  EXPECT_EQ(found({.correlation_id = Uuid{{7}}}), second);
  EXPECT_EQ(found({.labels = {{"status", "paid"}}}), second);
  EXPECT_EQ(found({.labels = {{"status", "paid"}, {"n", "2"}}}), second);
  EXPECT_EQ(found({.labels = {{"status", "paid"}, {"n", "1"}}}), Numbers{});
  EXPECT_EQ(found({.type = "t.*", .until = later}), (Numbers{1, 2, 3}));
  EXPECT_EQ(found({.since = later}), (Numbers{4}));
  EXPECT_EQ(found({.since = later, .until = later}), Numbers{});
}

TEST_P(StoreContract, FilteredPagesTogetherAreExactlyTheMatches) {
  Random random(seed());
  EventGen gen(seed(), {.streams = 5, .payload_bytes = 60, .edge_percent = 0});
  FilterGen filters(seed());
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 4; ++i) {
      append(filters.shape(gen.batch(random.between(1, 60))));
      writer().clock().tick(std::chrono::seconds(1));
    }
    if (round == 2) fixture().skip_to(state().event_seq + random.between(1, 20));
    if (round == 2) append(gen.batch(1));
    if (round == 4) fixture().cut(random.between(2, state().event_seq));
    if (random.chance(30)) reopen();
    const auto records = all();
    for (int i = 0; i < 40; ++i) {
      const auto filter = filters.filter(random.pick(records));
      Numbers expected;
      for (const auto& record : records) {
        if (core::matches(filter, record)) expected.push_back(record.header.seq);
      }
      ASSERT_EQ(walk(store().events(), filter, Order::forward, random), expected);
      std::ranges::reverse(expected);
      ASSERT_EQ(walk(store().events(), filter, Order::backward, random), expected);
    }
  }
}

}  // namespace
}  // namespace annals::test
