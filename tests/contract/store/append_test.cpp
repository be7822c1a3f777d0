#include <functional>

#include "core/hash.hpp"
#include "testing/event_gen.hpp"
#include "tests/contract/store/store_contract.hpp"

namespace annals::test {
namespace {

using std::chrono::milliseconds;

TEST_P(StoreContract, StoresEveryMemberOfEveryRecord) {
  EventGen gen(seed());
  std::vector<Record> expected;
  for (int group = 0; group < 20; ++group) {
    const auto records = append(gen.batch(1 + gen.random().below(10)));
    expected.insert(expected.end(), records.begin(), records.end());
  }
  EXPECT_EQ(all(), expected);
  reopen();
  EXPECT_EQ(all(), expected);
  for (const auto& record : expected) {
    const auto by_seq = store().events().find(record.header.seq);
    ASSERT_TRUE(by_seq);
    EXPECT_EQ(*by_seq, record);
    const auto by_id = store().events().find(record.header.id);
    ASSERT_TRUE(by_id);
    EXPECT_EQ(*by_id, record);
  }
}

TEST_P(StoreContract, AdvancesTheStateByThePlacement) {
  const auto first = writer().append(store(), EventWriter::events(2, "a"));
  EXPECT_EQ(state(), first.after);
  const auto transaction = begin();
  EXPECT_EQ(transaction->lock_state(), first.after);
  core::Placer placer(first.after, writer().clock().now());
  placer.bump_permission_version();
  transaction->rollback();

  const auto second = writer().append(store(), EventWriter::events(1));
  EXPECT_EQ(state(), second.after);
  EXPECT_EQ(second.before, first.after);
  EXPECT_EQ(store().events().count(), 3U);
}

TEST_P(StoreContract, StoresARaisedPermissionVersion) {
  const auto transaction = begin();
  auto placement = writer().place(*transaction, EventWriter::events(1));
  placement.after.permission_version = 1;
  ASSERT_TRUE(transaction->append(placement));
  ASSERT_TRUE(transaction->commit());
  EXPECT_EQ(state().permission_version, 1U);
}

TEST_P(StoreContract, StoresErasedPartsByTheirDigests) {
  const auto transaction = begin();
  auto placement = writer().place(*transaction, EventWriter::events(2, "a"));
  placement.records.at(0).payload.reset();
  placement.records.at(0).redacted_at = Timestamp{std::chrono::seconds(7)};
  placement.records.at(1).meta.reset();
  placement.records.at(1).redacted_at = Timestamp{std::chrono::seconds(8)};
  ASSERT_TRUE(placement.records.at(1).header.meta_digest);
  ASSERT_TRUE(transaction->append(placement));
  ASSERT_TRUE(transaction->commit());
  EXPECT_EQ(all(), placement.records);
}

TEST_P(StoreContract, ATransactionSeesItsOwnWrites) {
  const auto transaction = begin();
  const auto first = writer().place(*transaction, EventWriter::events(2, "a"));
  ASSERT_TRUE(transaction->append(first));
  EXPECT_EQ(transaction->lock_state(), first.after);
  const std::vector<std::string> streams{"b", "a"};
  const auto heads = transaction->heads(streams);
  ASSERT_TRUE(heads);
  EXPECT_EQ(heads->at(0), std::nullopt);
  EXPECT_EQ(heads->at(1), first.heads.front());
  const std::vector<Uuid> ids{first.records[1].header.id, writer().ids().random_id()};
  const auto found = transaction->find_ids(ids);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at(0), first.records[1]);
  EXPECT_EQ(found->at(1), std::nullopt);
  // Two placements of one transaction continue each other.
  const auto second = writer().place(*transaction, EventWriter::events(1, "a"));
  EXPECT_EQ(second.records.front().header.stream_seq, 3U);
  ASSERT_TRUE(transaction->append(second));
  EXPECT_EQ(state().event_seq, 0U);
  ASSERT_TRUE(transaction->commit());
  EXPECT_EQ(state(), second.after);
}

TEST_P(StoreContract, HeadsComeInTheOrderAsked) {
  append({EventWriter::event("c"), EventWriter::event("a"), EventWriter::event("a")});
  const auto transaction = begin();
  const std::vector<std::string> streams{"a", "none", "c", "a"};
  const auto heads = transaction->heads(streams);
  ASSERT_TRUE(heads);
  ASSERT_EQ(heads->size(), 4U);
  EXPECT_EQ(heads->at(0)->version, 2U);
  EXPECT_EQ(heads->at(1), std::nullopt);
  EXPECT_EQ(heads->at(2)->version, 1U);
  EXPECT_EQ(heads->at(3), heads->at(0));
}

TEST_P(StoreContract, RollbackLeavesNothing) {
  const auto kept = append(EventWriter::events(2, "a"));
  const auto before = state();
  const std::vector<std::function<void(log::WriteTransaction&)>> ends{
      [](log::WriteTransaction& transaction) { transaction.rollback(); },
      [](log::WriteTransaction&) { /* the destructor ends it */ }};
  for (const auto& end : ends) {
    const auto transaction = begin();
    const auto placement = writer().place(*transaction, EventWriter::events(3, "a"));
    ASSERT_TRUE(transaction->append(placement));
    end(*transaction);
  }
  EXPECT_EQ(state(), before);
  EXPECT_EQ(all(), kept);
  EXPECT_EQ(store().events().stream("a")->value().version, 2U);
  // The numbers and the lock are free again.
  EXPECT_EQ(append(EventWriter::events(1, "a")).front().header.seq, 3U);
}

TEST_P(StoreContract, AnEndedTransactionDoesNothingMore) {
  for (const bool commit : {true, false}) {
    const auto transaction = begin();
    const auto placement = writer().place(*transaction, EventWriter::events(1));
    if (commit) {
      ASSERT_TRUE(transaction->commit());
    } else {
      transaction->rollback();
    }
    EXPECT_EQ(code_of(transaction->append(placement)), ErrorCode::internal);
    EXPECT_EQ(code_of(transaction->lock_state()), ErrorCode::internal);
    EXPECT_EQ(code_of(transaction->admin().put_catalogue({"{}", 1})), ErrorCode::internal);
    EXPECT_EQ(code_of(transaction->commit()), ErrorCode::internal);
    transaction->rollback();
  }
  EXPECT_EQ(state().event_seq, 0U);
}

TEST_P(StoreContract, ATransactionWithoutWritesChangesNothing) {
  append(EventWriter::events(1));
  const auto before = state();
  ASSERT_TRUE(begin()->commit());
  EXPECT_EQ(state(), before);
}

/// A way in which a placement differs from what is stored.
struct Mismatch {
  std::string name;
  std::function<void(core::Placement&)> change;
};

TEST_P(StoreContract, APlacementForAnotherStateIsRefusedAndLeavesNothing) {
  const auto kept = append(EventWriter::events(2, "a"));
  const auto before = state();
  const std::vector<Mismatch> mismatches{
      {"log hash", [](core::Placement& p) { p.before.log_hash[0] ^= 1; }},
      {"permission version",
       [](core::Placement& p) {
         ++p.before.permission_version;
         ++p.after.permission_version;
       }},
      {"seq behind",
       [](core::Placement& p) {
         --p.before.event_seq;
         --p.after.event_seq;
         for (auto& record : p.records)
           --record.header.seq;
       }},
      {"seq ahead",
       [](core::Placement& p) {
         ++p.before.event_seq;
         ++p.after.event_seq;
         for (auto& record : p.records)
           ++record.header.seq;
       }},
      {"version ahead",
       [](core::Placement& p) {
         for (auto& record : p.records)
           ++*record.header.stream_seq;
         ++p.heads.front().version;
       }},
      {"new stream that exists",
       [](core::Placement& p) {
         p.records.erase(p.records.begin() + 1, p.records.end());
         p.after.event_seq = p.before.event_seq + 1;
         p.records.front().header.stream_seq = 1;
         p.records.front().prev_hash.reset();
         p.heads = {{"a", 1, p.records.front().row_hash}};
       }},
      {"stream that does not exist",
       [](core::Placement& p) {
         for (auto& record : p.records)
           record.header.stream = "b";
         p.heads.front().stream = "b";
       }},
      {"head hash", [](core::Placement& p) { (*p.records.front().prev_hash)[0] ^= 1; }},
      {"known id",
       [&](core::Placement& p) { p.records.back().header.id = kept.front().header.id; }},
      {"same id twice",
       [](core::Placement& p) { p.records.back().header.id = p.records.front().header.id; }},
  };
  for (const auto& mismatch : mismatches) {
    SCOPED_TRACE(mismatch.name);
    const auto transaction = begin();
    auto placement = writer().place(*transaction, EventWriter::events(2, "a"));
    mismatch.change(placement);
    EXPECT_EQ(code_of(transaction->append(placement)), ErrorCode::store_corrupt);
    // All or nothing: what was half done cannot be committed.
    EXPECT_EQ(code_of(transaction->commit()), ErrorCode::internal);
    transaction->rollback();
    EXPECT_EQ(state(), before);
  }
  EXPECT_EQ(all(), kept);
  EXPECT_EQ(append(EventWriter::events(1, "a")).front().header.seq, 3U);
}

TEST_P(StoreContract, APlacementThatContradictsItselfIsRefused) {
  const auto transaction = begin();
  auto placement = writer().place(*transaction, EventWriter::events(2));
  placement.records.pop_back();
  EXPECT_EQ(code_of(transaction->append(placement)), ErrorCode::internal);
  transaction->rollback();
  EXPECT_EQ(state().event_seq, 0U);
}

TEST_P(StoreContract, NumbersGoOnAfterAGap) {
  append(EventWriter::events(2, "a"));
  fixture().skip_to(1000);
  EXPECT_EQ(state().event_seq, 1000U);
  const auto records = append(EventWriter::events(2, "a"));
  EXPECT_EQ(records.front().header.seq, 1001U);
  EXPECT_EQ(records.front().header.stream_seq, 3U);
  EXPECT_EQ(store().events().gaps(), (std::vector<Gap>{{3, 1000, 1001}}));
  EXPECT_EQ(all().size(), 4U);
  EXPECT_EQ(store().events().count(), 4U);
}

TEST_P(StoreContract, KeepsTheMarksOfThePlacement) {
  EXPECT_EQ(value(store().events().mark_at_or_before(max_seq)), std::nullopt);
  const auto placement = writer().append(store(), EventWriter::events(2500));
  ASSERT_EQ(placement.marks.size(), 2U);
  EXPECT_EQ(placement.marks.front().seq, 1000U);
  EXPECT_EQ(value(store().events().mark_at_or_before(999)), std::nullopt);
  EXPECT_EQ(value(store().events().mark_at_or_before(1000)), placement.marks[0]);
  EXPECT_EQ(value(store().events().mark_at_or_before(1999)), placement.marks[0]);
  EXPECT_EQ(value(store().events().mark_at_or_before(2000)), placement.marks[1]);
  EXPECT_EQ(value(store().events().mark_at_or_before(max_seq)), placement.marks[1]);
  EXPECT_EQ(value(store().events().mark_at_or_before(~std::uint64_t{0})), placement.marks[1]);
}

TEST_P(StoreContract, ADigestReadIsTheDigestOfWhatIsStored) {
  append({EventWriter::event("a")});
  const auto record = store().events().find(1)->value();
  EXPECT_EQ(record.header.payload_digest,
            core::part_digest(record.payload->salt, record.payload->bytes));
  EXPECT_EQ(record.header.meta_digest, core::part_digest(record.meta->salt, record.meta->bytes));
}

}  // namespace
}  // namespace annals::test
