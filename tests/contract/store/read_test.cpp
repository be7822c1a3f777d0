#include <algorithm>

#include "tests/contract/store/store_contract.hpp"

namespace annals::test {
namespace {

std::vector<std::uint64_t> seqs(const std::vector<Record>& records) {
  std::vector<std::uint64_t> numbers;
  for (const auto& record : records)
    numbers.push_back(record.header.seq);
  return numbers;
}

std::vector<std::uint64_t> stream_seqs(const std::vector<Record>& records) {
  std::vector<std::uint64_t> numbers;
  for (const auto& record : records)
    numbers.push_back(*record.header.stream_seq);
  return numbers;
}

using Numbers = std::vector<std::uint64_t>;

TEST_P(StoreContract, PagesForward) {
  append(EventWriter::events(5));
  auto page = store().events().page({.after = 0, .limit = 3});
  ASSERT_TRUE(page);
  EXPECT_EQ(seqs(page->records), (Numbers{1, 2, 3}));
  EXPECT_FALSE(page->caught_up);
  EXPECT_EQ(page->head, 5U);
  page = store().events().page({.after = 3, .limit = 2});
  EXPECT_EQ(seqs(page->records), (Numbers{4, 5}));
  EXPECT_TRUE(page->caught_up);  // a full page at the head is at the head
  page = store().events().page({.after = 5, .limit = 2});
  EXPECT_TRUE(page->records.empty());
  EXPECT_TRUE(page->caught_up);
  page = store().events().page({.after = ~std::uint64_t{0}, .limit = 2});
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->records.empty());
}

TEST_P(StoreContract, PagesBackward) {
  append(EventWriter::events(5));
  auto page = store().events().page({.limit = 2, .order = Order::backward});
  ASSERT_TRUE(page);
  EXPECT_EQ(seqs(page->records), (Numbers{5, 4}));
  page = store().events().page({.before = 4, .limit = 10, .order = Order::backward});
  EXPECT_EQ(seqs(page->records), (Numbers{3, 2, 1}));
  EXPECT_FALSE(page->caught_up);
  page = store().events().page({.before = 1, .order = Order::backward});
  EXPECT_TRUE(page->records.empty());
  page = store().events().page({.before = ~std::uint64_t{0}, .limit = 1, .order = Order::backward});
  ASSERT_TRUE(page);
  EXPECT_EQ(seqs(page->records), (Numbers{5}));
}

TEST_P(StoreContract, APageHasOneTo1000Entries) {
  append(EventWriter::events(1001, "a"));
  auto& events = store().events();
  EXPECT_EQ(events.page({.limit = 1000})->records.size(), 1000U);
  EXPECT_EQ(events.stream_page("a", {.limit = 1000})->records.size(), 1000U);
  for (const std::size_t limit : {0U, 1001U}) {
    EXPECT_EQ(code_of(events.page({.limit = limit})), ErrorCode::invalid_request);
    EXPECT_EQ(code_of(events.stream_page("a", {.limit = limit})), ErrorCode::invalid_request);
    EXPECT_EQ(code_of(events.streams("", "", limit)), ErrorCode::invalid_request);
  }
}

TEST_P(StoreContract, PagesGoOverGaps) {
  append(EventWriter::events(2));
  fixture().skip_to(10);
  append(EventWriter::events(2));
  EXPECT_EQ(seqs(store().events().page({.after = 1, .limit = 2})->records), (Numbers{2, 11}));
  EXPECT_EQ(seqs(store().events().page({.after = 5})->records), (Numbers{11, 12}));
  EXPECT_EQ(seqs(store().events().page({.order = Order::backward})->records),
            (Numbers{12, 11, 2, 1}));
}

TEST_P(StoreContract, NothingBelowOldestIsRead) {
  const auto records = append(EventWriter::events(6, "a"));
  fixture().cut(4);
  auto& events = store().events();
  EXPECT_EQ(seqs(all()), (Numbers{4, 5, 6}));
  const auto page = events.page({.after = 1, .limit = 2});
  EXPECT_EQ(page->oldest, 4U);
  EXPECT_EQ(seqs(page->records), (Numbers{4, 5}));
  EXPECT_EQ(seqs(events.page({.order = Order::backward})->records), (Numbers{6, 5, 4}));
  EXPECT_EQ(value(events.find(3)), std::nullopt);
  EXPECT_EQ(value(events.find(4)), records[3]);
  EXPECT_EQ(value(events.find(records[2].header.id)), std::nullopt);
  EXPECT_EQ(seqs(events.stream_page("a", {})->records), (Numbers{4, 5, 6}));
  EXPECT_EQ(events.stream_page("a", {})->version, 6U);
  EXPECT_EQ(events.count(), 3U);
  EXPECT_EQ(value(events.lost_ids(1, max_seq)), Numbers{});
  // An id is taken as long as its row is there: the next append must find it.
  const auto transaction = begin();
  const std::vector<Uuid> ids{records[0].header.id};
  EXPECT_EQ(transaction->find_ids(ids)->front(), records[0]);
}

TEST_P(StoreContract, FindsNothingThatIsNotThere) {
  append(EventWriter::events(2));
  auto& events = store().events();
  EXPECT_EQ(value(events.find(std::uint64_t{0})), std::nullopt);
  EXPECT_EQ(value(events.find(3)), std::nullopt);
  EXPECT_EQ(value(events.find(~std::uint64_t{0})), std::nullopt);
  EXPECT_EQ(value(events.find(writer().ids().random_id())), std::nullopt);
}

TEST_P(StoreContract, ReadsStreamsBothWays) {
  for (int i = 0; i < 5; ++i)
    append({EventWriter::event("a"), EventWriter::event("b")});
  auto& events = store().events();
  auto page = events.stream_page("b", {.after = 1, .limit = 2});
  ASSERT_TRUE(page);
  EXPECT_EQ(stream_seqs(page->records), (Numbers{2, 3}));
  EXPECT_EQ(seqs(page->records), (Numbers{4, 6}));
  EXPECT_EQ(page->version, 5U);
  EXPECT_TRUE(page->breaks.empty());
  page = events.stream_page("b", {.before = 4, .limit = 2, .order = Order::backward});
  EXPECT_EQ(stream_seqs(page->records), (Numbers{3, 2}));
  page = events.stream_page("b", {.limit = 1, .order = Order::backward});
  EXPECT_EQ(stream_seqs(page->records), (Numbers{5}));
  page = events.stream_page("b", {.after = 5});
  EXPECT_TRUE(page->records.empty());
  EXPECT_EQ(page->version, 5U);
  page = events.stream_page("b", {.after = ~std::uint64_t{0}});
  EXPECT_TRUE(page->records.empty());
  page = events.stream_page("unknown", {});
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->records.empty());
  EXPECT_EQ(page->version, 0U);
}

TEST_P(StoreContract, ListsStreamsByTheBytesOfTheirNames) {
  const std::vector<std::string> names{"order-1",     "order-10", "order-2",          "Zebra",
                                       "caf\xC3\xA9", "order",    "\xF0\x9F\x9A\x80", "$own"};
  std::vector<NewEvent> events;
  for (const auto& name : names) {
    if (!name.starts_with("$")) events.push_back(EventWriter::event(name));
  }
  append(events);
  const auto listed = [&](std::string_view prefix, std::string_view after, std::size_t limit) {
    std::vector<std::string> found;
    const auto heads = store().events().streams(prefix, after, limit);
    EXPECT_TRUE(heads);
    for (const auto& head : *heads)
      found.push_back(head.stream);
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(listed("", "", 100), (Names{"Zebra", "caf\xC3\xA9", "order", "order-1", "order-10",
                                        "order-2", "\xF0\x9F\x9A\x80"}));
  EXPECT_EQ(listed("order", "", 100), (Names{"order", "order-1", "order-10", "order-2"}));
  EXPECT_EQ(listed("order-", "", 2), (Names{"order-1", "order-10"}));
  EXPECT_EQ(listed("order-", "order-10", 2), (Names{"order-2"}));
  EXPECT_EQ(listed("order", "order", 1), (Names{"order-1"}));
  EXPECT_EQ(listed("order", "zzz", 10), Names{});
  EXPECT_EQ(listed("order", "a", 1), (Names{"order"}));
  EXPECT_EQ(listed("", "order-2", 10), (Names{"\xF0\x9F\x9A\x80"}));
  EXPECT_EQ(listed("x", "", 10), Names{});

  const auto head = store().events().stream("order-1");
  ASSERT_TRUE(head && *head);
  EXPECT_EQ((*head)->version, 1U);
  EXPECT_EQ((*head)->hash, store().events().stream_page("order-1", {})->records[0].row_hash);
  EXPECT_EQ(value(store().events().stream("order-9")), std::nullopt);
}

}  // namespace
}  // namespace annals::test
