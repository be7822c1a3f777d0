#include "testing/fault_vfs.hpp"
#include "tests/contract/store/sqlite/sqlite_test.hpp"

namespace annals::test {
namespace {

using std::chrono::milliseconds;
using Failure = FaultVfs::Failure;
using Operation = FaultVfs::Operation;

/// A log with three events on a disk that can fail.
class Fault : public SqliteTest {
 protected:
  Fault() {
    make_log();
    store_ = open();
    EXPECT_TRUE(store_->events().state());
  }

  /// The error of an append of `count` events, if it fails.
  std::optional<Error> append(std::size_t count) {
    auto transaction = store_->begin_write(milliseconds(1000));
    if (!transaction) return transaction.error();
    const auto events = EventWriter::events(count, "a");
    core::Placement placement;
    try {
      placement = writer().place(**transaction, events);
    } catch (const std::runtime_error&) {
      return Error{ErrorCode::store_unavailable, "reading failed", {}, {}};
    }
    if (auto appended = (*transaction)->append(placement); !appended) return appended.error();
    last_ = placement;
    if (auto committed = (*transaction)->commit(); !committed) return committed.error();
    return std::nullopt;
  }

  /// What the log is after the fault, looked at by the store and by a program that starts anew.
  void expect_head(std::uint64_t head) {
    EXPECT_EQ(store_->events().state()->event_seq, head);
    EXPECT_EQ(store_->events().count(), head);
    EXPECT_EQ(open()->events().state()->event_seq, head);
  }

  FaultVfs vfs_{FaultVfs::Disk::simulated};
  std::unique_ptr<store::SqliteStore> store_;
  core::Placement last_;
};

TEST_F(Fault, AFullDiskRefusesAndIsForgottenWhenThereIsSpace) {
  for (std::uint64_t nth = 1; nth <= 12; ++nth) {
    SCOPED_TRACE(nth);
    vfs_.fail(Operation::write, nth, Failure::full, true);
    const auto error = append(100);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, ErrorCode::store_full) << error->detail;
    EXPECT_TRUE(store_->events().page({})) << "reads go on";
    EXPECT_TRUE(append(1)) << "still full";
    vfs_.heal();
    expect_head(nth + 2);
    EXPECT_FALSE(append(1)) << "works again without a restart";
    expect_head(nth + 3);
  }
}

TEST_F(Fault, AFailedWriteLeavesNothing) {
  for (std::uint64_t nth = 1; nth <= 12; ++nth) {
    SCOPED_TRACE(nth);
    vfs_.fail(Operation::write, nth, Failure::io, false);
    const auto error = append(100);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, ErrorCode::store_unavailable) << error->detail;
    expect_head(nth + 2);
    EXPECT_FALSE(append(1));
    expect_head(nth + 3);
  }
}

TEST_F(Fault, AFailedSyncIsNotTrustedAndNotRepeated) {
  vfs_.fail(Operation::sync, 1, Failure::io, false);
  const auto error = append(100);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::store_unavailable) << error->detail;
  EXPECT_EQ(vfs_.failed(), 1U);
  // What the failed commit had written is nowhere from where it could come back.
  EXPECT_EQ(std::filesystem::file_size(path().string() + "-wal"), 0U);
  expect_head(3);
  EXPECT_FALSE(append(2));
  expect_head(5);
}

TEST_F(Fault, ADiskThatNoLongerSyncsLeavesTheOutcomeOpen) {
  vfs_.fail(Operation::sync, 1, Failure::io, true);
  const auto error = append(100);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::commit_unknown) << error->detail;
  EXPECT_EQ(store_->events().state()->event_seq, 3U);
  vfs_.heal();
  EXPECT_FALSE(append(2));
  expect_head(5);
}

/// A commit whose sync failed for good, in the file of a log that nobody has open any more.
class LeftBehind : public Fault {
 protected:
  LeftBehind() {
    // An empty write-ahead log would be cut without a sync.
    EXPECT_FALSE(append(1));
    vfs_.fail(Operation::sync, 1, Failure::io, true);
    EXPECT_TRUE(append(1));
    vfs_.heal();
    store_.reset();
  }
};

TEST_F(LeftBehind, IsOnTheDiskBeforeAnythingIsBuiltOnIt) {
  store_ = open();
  ASSERT_EQ(store_->events().state()->event_seq, 5U) << "it has come back to life";
  ASSERT_FALSE(append(1));
  vfs_.cut_power();
  store_.reset();
  vfs_.restore(Survivors::synced);
  store_ = open();
  expect_head(6);
}

TEST_F(LeftBehind, IsNotShownWhenItCannotBeBroughtToTheDisk) {
  for (const auto operation : {Operation::write, Operation::sync}) {
    vfs_.fail(operation, 1, Failure::io, false);
    const auto opened = make()->open(new_log());
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::store_unavailable) << opened.error().detail;
    vfs_.heal();
  }
  store_ = open();
  expect_head(5);
}

TEST_F(Fault, OpeningDoesNotWaitForAWriter) {
  auto transaction = store_->begin_write(milliseconds(1000));
  ASSERT_TRUE(transaction);
  EXPECT_EQ(open()->events().state()->event_seq, 3U);
}

TEST_F(Fault, FailedCheckpointsAreRepeated) {
  ASSERT_FALSE(append(50));
  for (const auto operation : {Operation::write, Operation::sync, Operation::truncate}) {
    vfs_.fail(operation, 1, Failure::io, false);
    store_->maintain(true);
    EXPECT_EQ(vfs_.failed(), 1U);
    ASSERT_FALSE(append(1));
  }
  store_->maintain(true);
  EXPECT_EQ(std::filesystem::file_size(path().string() + "-wal"), 0U);
  expect_head(56);
}

TEST_F(Fault, ALogIsMadeWholeOrNotAtAll) {
  store_.reset();
  for (std::uint64_t nth = 1; nth <= 200; ++nth) {
    SCOPED_TRACE(nth);
    std::filesystem::remove(path());
    vfs_.fail(Operation::write, nth, Failure::full, true);
    const auto opened = make()->open(new_log());
    const auto failed = vfs_.failed();
    vfs_.heal();
    if (failed == 0) {
      EXPECT_TRUE(opened);
      return;
    }
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::store_full) << opened.error().detail;
    EXPECT_TRUE(std::filesystem::is_empty(dir().path()));
    ASSERT_TRUE(make()->open(new_log()));
  }
  FAIL() << "making a log never ended";
}

}  // namespace
}  // namespace annals::test
