#include "testing/fault_vfs.hpp"

#include <gtest/gtest.h>

#include "testing/contract/raw_sqlite.hpp"
#include "testing/temp_dir.hpp"

namespace annals::test {
namespace {

using Failure = FaultVfs::Failure;
using Operation = FaultVfs::Operation;

class FaultVfsTest : public ::testing::Test {
 protected:
  static std::string insert(RawSqlite& database) {
    return database.run("INSERT INTO t VALUES (zeroblob(100000))");
  }

  FaultVfs vfs_;
  TempDir dir_;
};

TEST_F(FaultVfsTest, PassesOnAndCounts) {
  RawSqlite database(dir_ / "a.db");
  database.must("PRAGMA journal_mode = WAL; CREATE TABLE t (x)");
  const auto writes = vfs_.count(Operation::write);
  const auto syncs = vfs_.count(Operation::sync);
  EXPECT_EQ(insert(database), "");
  EXPECT_GT(vfs_.count(Operation::write), writes);
  EXPECT_GT(vfs_.count(Operation::sync), syncs);
  EXPECT_EQ(database.text("PRAGMA integrity_check"), "ok");
}

TEST_F(FaultVfsTest, FailsTheNthOnce) {
  RawSqlite database(dir_ / "a.db");
  database.must("PRAGMA journal_mode = WAL; CREATE TABLE t (x)");
  vfs_.fail(Operation::write, 3, Failure::full, false);
  EXPECT_NE(insert(database).find("full"), std::string::npos);
  EXPECT_EQ(vfs_.failed(), 1U);
  EXPECT_EQ(insert(database), "");
  vfs_.fail(Operation::sync, 1, Failure::io, false);
  EXPECT_NE(insert(database).find("I/O"), std::string::npos);
  EXPECT_EQ(insert(database), "");
  EXPECT_EQ(database.integer("SELECT count(*) FROM t"), 2);
}

TEST_F(FaultVfsTest, FailsForGoodUntilItIsHealed) {
  RawSqlite database(dir_ / "a.db");
  database.must("PRAGMA journal_mode = WAL; CREATE TABLE t (x)");
  vfs_.fail(Operation::write, 1, Failure::io, true);
  EXPECT_NE(insert(database), "");
  EXPECT_NE(insert(database), "");
  EXPECT_GE(vfs_.failed(), 2U);
  vfs_.heal();
  EXPECT_EQ(insert(database), "");
}

}  // namespace
}  // namespace annals::test
