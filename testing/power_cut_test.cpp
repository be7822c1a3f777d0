#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "testing/contract/raw_sqlite.hpp"
#include "testing/fault_vfs.hpp"
#include "testing/temp_dir.hpp"

namespace annals::test {
namespace {

using Failure = FaultVfs::Failure;
using Moment = FaultVfs::Moment;
using Operation = FaultVfs::Operation;

/// A database with one row on a disk that can lose its power.
class PowerCut : public testing::Test {
 protected:
  PowerCut() {
    open();
    database_->must("PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)");
  }

  void open() {
    database_ = std::make_unique<RawSqlite>(dir_ / "a.db");
    // Nothing but a commit syncs, and closing leaves the files as they are.
    database_->must("PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = FULL");
  }
  std::string insert(const std::string& value = "zeroblob(100000)") {
    return database_->run("INSERT INTO t VALUES (" + value + ")");
  }
  /// The rows that are left when everybody starts anew.
  std::int64_t rows_after(Survivors survivors, std::uint64_t seed = 0) {
    database_.reset();
    vfs_.restore(survivors, seed);
    open();
    EXPECT_EQ(database_->text("PRAGMA integrity_check"), "ok");
    return database_->integer("SELECT count(*) FROM t");
  }

  FaultVfs vfs_{FaultVfs::Disk::simulated};
  TempDir dir_;
  std::unique_ptr<RawSqlite> database_;
};

TEST_F(PowerCut, LosesWhatWasNotSynced) {
  ASSERT_EQ(insert(), "");
  database_->must("PRAGMA synchronous = OFF");
  ASSERT_EQ(insert(), "");
  ASSERT_EQ(database_->integer("SELECT count(*) FROM t"), 3);
  vfs_.cut_power();
  EXPECT_EQ(rows_after(Survivors::synced), 2);
}

TEST_F(PowerCut, LeavesEverythingToWhoeverAsksForIt) {
  database_->must("PRAGMA synchronous = OFF");
  ASSERT_EQ(insert(), "");
  vfs_.cut_power();
  EXPECT_EQ(rows_after(Survivors::all), 2);
}

TEST_F(PowerCut, TearsWhatWasNotSynced) {
  // More than one disk of what is possible must come out, and each must be a whole transaction.
  bool lost = false;
  bool kept = false;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto before = database_->integer("SELECT count(*) FROM t");
    database_->must("PRAGMA synchronous = OFF");
    ASSERT_EQ(insert("1"), "");
    vfs_.cut_power();
    const auto after = rows_after(Survivors::torn, seed);
    ASSERT_TRUE(after == before || after == before + 1) << seed;
    (after == before ? lost : kept) = true;
  }
  EXPECT_TRUE(lost);
  EXPECT_TRUE(kept);
}

TEST_F(PowerCut, ComesBeforeOrAfterTheNthSync) {
  vfs_.cut_power(2, Moment::before);
  EXPECT_EQ(insert(), "");
  EXPECT_NE(insert(), "");
  EXPECT_FALSE(vfs_.has_power());
  EXPECT_EQ(rows_after(Survivors::synced), 2);
  EXPECT_TRUE(vfs_.has_power());

  vfs_.cut_power(2, Moment::after);
  EXPECT_EQ(insert(), "");
  EXPECT_NE(insert(), "") << "nobody learns that it has happened";
  EXPECT_EQ(rows_after(Survivors::synced), 4);
}

TEST_F(PowerCut, EndsEverything) {
  vfs_.cut_power();
  EXPECT_NE(insert(), "");
  EXPECT_NE(database_->run("SELECT * FROM t"), "");
  EXPECT_THROW(RawSqlite(dir_ / "a.db"), std::runtime_error);
  EXPECT_THROW(RawSqlite(dir_ / "new.db"), std::runtime_error);
}

TEST_F(PowerCut, IsNotOverWhileADatabaseIsOpen) {
  vfs_.cut_power();
  EXPECT_THROW(vfs_.restore(Survivors::synced), std::logic_error);
}

TEST_F(PowerCut, KeepsNothingOfAFailedSync) {
  vfs_.fail(Operation::sync, 1, Failure::io, false);
  EXPECT_NE(insert(), "");
  vfs_.heal();
  vfs_.cut_power();
  EXPECT_EQ(rows_after(Survivors::synced), 1);
}

TEST(RealDisk, DoesNotLoseItsPower) {
  FaultVfs vfs;
  EXPECT_THROW(vfs.cut_power(), std::logic_error);
  EXPECT_THROW(vfs.cut_power(1, Moment::before), std::logic_error);
}

}  // namespace
}  // namespace annals::test
