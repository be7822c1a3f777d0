#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli_test_case.hpp"

namespace annals::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class CliBench : public CliTestCase {};

TEST_F(CliBench, SaysWhatTheMachineDoesAndLeavesNothing) {
  const auto before = std::distance(std::filesystem::directory_iterator(path("")), {});
  const auto lines = lines_of(out_of({"bench", "--count", "100", "--measure", "sync", "--measure",
                                      "append-in-flight", "--measure", "append-single"}));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[0], StartsWith("sync of 8 KiB"));
  EXPECT_THAT(lines[1], StartsWith("append, one at a time"));
  EXPECT_THAT(lines[2], StartsWith("append, 256 in flight"));
  for (const auto& line : lines)
    EXPECT_THAT(line, HasSubstr(" ms, p99 "));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("")), {}), before);
}

TEST_F(CliBench, KeepsALogForMeasuresThatRead) {
  const auto written = json_of({"bench", "--json", "--keep", "--folder", "kept", "--measure",
                                "append-batch", "--count", "1000"});
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written[0]["measure"], "append-batch");
  EXPECT_EQ(written[0]["count"], 1000);
  EXPECT_GT(written[0]["rate"], 0);
  const auto read = json_of({"bench", "--json", "--keep", "--folder", "kept", "--measure", "read",
                             "--measure", "verify", "--measure", "find"});
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0]["count"], 1000);
  EXPECT_EQ(read[1]["count"], 1000);
  EXPECT_EQ(read[2]["unit"], "queries");
}

TEST_F(CliBench, RefusesWhatItCannotMeasure) {
  const auto unknown = annals({"bench", "--measure", "speed"});
  EXPECT_EQ(code_of(unknown), 2);
  EXPECT_THAT(unknown.err, HasSubstr("append-single"));
  EXPECT_EQ(code_of(annals({"bench", "--count", "0"})), 2);
  const auto nowhere = annals({"bench", "--folder", "missing/folder", "--measure", "sync"});
  EXPECT_EQ(code_of(nowhere), 1);
  EXPECT_THAT(nowhere.err, HasSubstr("missing/folder"));
}

}  // namespace
}  // namespace annals::test
