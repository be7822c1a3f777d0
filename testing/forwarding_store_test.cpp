#include "testing/forwarding_store.hpp"

#include <gtest/gtest.h>

#include "store/memory/memory_store.hpp"
#include "testing/contract/event_writer.hpp"

namespace annals::test {
namespace {

using std::chrono::milliseconds;

class ForwardingStoreTest : public ::testing::Test {
 protected:
  ForwardingStoreTest()
      : probe_(std::make_shared<StoreProbe>()),
        store_(std::make_unique<store::MemoryStore>(), probe_) {
    EXPECT_TRUE(store_.open(writer_.new_log()));
  }

  static Result<void> refuse() { return fail(ErrorCode::store_full, "by the test"); }

  std::shared_ptr<StoreProbe> probe_;
  ForwardingStore store_;
  EventWriter writer_{1};
};

TEST_F(ForwardingStoreTest, PassesOnAndCounts) {
  writer_.append(store_, {EventWriter::event("a"), EventWriter::event("b"), EventWriter::event()});
  EXPECT_EQ(store_.events().state()->event_seq, 3U);
  EXPECT_TRUE(store_.events().find(3)->has_value());
  EXPECT_EQ(store_.info().kind, "memory");
  EXPECT_EQ(store_.foreign(), nullptr);
  store_.maintain(true);
  EXPECT_EQ(probe_->begin_writes, 1U);
  EXPECT_EQ(probe_->state_locks, 1U);
  EXPECT_EQ(probe_->head_calls, 1U);
  EXPECT_EQ(probe_->head_reads, 2U);
  EXPECT_EQ(probe_->appends, 1U);
  EXPECT_EQ(probe_->appended_events, 3U);
  EXPECT_EQ(probe_->commits, 1U);
  EXPECT_EQ(probe_->rollbacks, 0U);
  EXPECT_EQ(probe_->reads, 2U);
  EXPECT_EQ(probe_->maintains, 1U);
}

TEST_F(ForwardingStoreTest, CountsEveryEndWithoutCommitOnce) {
  (*store_.begin_write(milliseconds(0)))->rollback();
  { const auto dropped = *store_.begin_write(milliseconds(0)); }
  EXPECT_EQ(probe_->rollbacks, 2U);
}

TEST_F(ForwardingStoreTest, HooksFailWhatTheyStandBefore) {
  probe_->before_append = [](const core::Placement&) { return refuse(); };
  EXPECT_THROW(writer_.append(store_, writer_.events(1)), std::runtime_error);
  probe_->before_append = nullptr;
  probe_->before_commit = refuse;
  EXPECT_THROW(writer_.append(store_, writer_.events(1)), std::runtime_error);
  probe_->before_commit = nullptr;
  probe_->before_heads = [](std::span<const std::string>) { return refuse(); };
  EXPECT_THROW(writer_.append(store_, writer_.events(1)), std::runtime_error);
  probe_->before_heads = nullptr;
  probe_->before_begin_write = refuse;
  EXPECT_EQ(store_.begin_write(milliseconds(0)).error().code, ErrorCode::store_full);
  probe_->before_begin_write = nullptr;
  EXPECT_EQ(store_.events().state()->event_seq, 0U);
  probe_->before_read = refuse;
  EXPECT_EQ(store_.events().state().error().code, ErrorCode::store_full);
}

TEST_F(ForwardingStoreTest, AnAnswerCanBeLostAfterTheCommit) {
  probe_->after_commit = refuse;
  EXPECT_THROW(writer_.append(store_, writer_.events(1)), std::runtime_error);
  EXPECT_EQ(store_.events().state()->event_seq, 1U);
  EXPECT_EQ(probe_->commits, 1U);
}

TEST_F(ForwardingStoreTest, ForbiddenTouchesFailAndAreCounted) {
  probe_->forbidden = true;
  EXPECT_EQ(store_.begin_write(milliseconds(0)).error().code, ErrorCode::internal);
  EXPECT_EQ(store_.events().state().error().code, ErrorCode::internal);
  EXPECT_EQ(store_.admin().keys().error().code, ErrorCode::internal);
  EXPECT_EQ(probe_->forbidden_touches, 3U);
  EXPECT_EQ(probe_->begin_writes, 0U);
}

}  // namespace
}  // namespace annals::test
