#include "tests/contract/store/store_contract.hpp"

namespace annals::test {
namespace {

using std::chrono::milliseconds;

TEST_P(StoreContract, ANewLogIsEmpty) {
  LogState expected;
  expected.log_id = new_log().log_id;
  expected.local_key_id = new_log().local_key_id;
  EXPECT_EQ(state(), expected);
  const auto page = store().events().page({});
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->records.empty());
  EXPECT_TRUE(page->caught_up);
  EXPECT_EQ(page->head, 0U);
  EXPECT_EQ(page->oldest, 1U);
  EXPECT_EQ(store().events().count(), 0U);
  EXPECT_TRUE(store().events().gaps()->empty());
  EXPECT_TRUE(store().admin().keys()->empty());
  EXPECT_EQ(store().admin().catalogue(), log::StoredCatalogue{});
}

TEST_P(StoreContract, AnEmptyPlaceIsNotFoundWithoutCreate) {
  const auto other = GetParam().make();
  const auto empty = other->make();
  auto identity = new_log();
  identity.create = false;
  EXPECT_EQ(code_of(empty->open(identity)), ErrorCode::not_found);
  // Nothing was made by asking.
  EXPECT_EQ(code_of(other->make()->open(identity)), ErrorCode::not_found);
}

TEST_P(StoreContract, ReopeningKeepsEverythingAndIgnoresTheNewIdentity) {
  const auto records = append(EventWriter::events(3, "a"));
  const auto before = state();
  reopen();
  EXPECT_EQ(state(), before);
  EXPECT_EQ(all(), records);

  auto again = fixture().make();
  auto other = writer().new_log();
  other.create = false;
  ASSERT_TRUE(again->open(other));
  EXPECT_EQ(again->events().state()->log_id, new_log().log_id);
}

TEST_P(StoreContract, NothingWorksBeforeOpenAndAfterClose) {
  const auto unopened = fixture().make();
  EXPECT_EQ(code_of(unopened->events().state()), ErrorCode::store_unavailable);
  EXPECT_EQ(code_of(unopened->begin_write(milliseconds(0))), ErrorCode::store_unavailable);

  store().close();
  store().close();
  EXPECT_EQ(code_of(store().events().state()), ErrorCode::store_unavailable);
  EXPECT_EQ(code_of(store().events().page({})), ErrorCode::store_unavailable);
  EXPECT_EQ(code_of(store().admin().keys()), ErrorCode::store_unavailable);
  EXPECT_EQ(code_of(store().begin_write(milliseconds(0))), ErrorCode::store_unavailable);
  store().maintain(true);
}

TEST_P(StoreContract, SaysWhatItIs) {
  const auto info = store().info();
  EXPECT_EQ(info.kind, GetParam().name);
  EXPECT_FALSE(info.version.empty());
  EXPECT_GE(info.schema_version, 1);
  EXPECT_EQ(info.durability, info.kind == "memory" ? "none" : "full");
}

}  // namespace
}  // namespace annals::test
