#include "bench/measures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "annals/open.hpp"
#include "testing/temp_dir.hpp"

namespace annals::bench {
namespace {

class Measures : public testing::Test {
 protected:
  Bench bench(const Measure& measure, std::uint64_t count) {
    const auto folder =
        dir_ / (measure.log == UseOfLog::writes ? std::string(measure.name) : "append-batch");
    std::filesystem::create_directories(folder);
    return {folder, count, [folder] { return open("sqlite:" + (folder / "log.db").string()); }};
  }

  test::TempDir dir_;
};

TEST_F(Measures, EachMeasuresWhatItIsToldAndChecksIt) {
  // What counts seconds, or reads, is told otherwise.
  const std::map<std::string_view, std::pair<std::uint64_t, std::uint64_t>> counts{
      {"sync", {3, 3}},
      {"append-minute", {1, 0}},
      {"append-batch", {2000, 2000}},
      {"append-large", {2000, 2000}},
      {"read", {0, 2000}},
      {"verify", {0, 2000}},
      {"find", {5, 5}}};
  for (const Measure& measure : measures()) {
    SCOPED_TRACE(measure.name);
    const auto found = counts.find(measure.name);
    const auto [told, expected] =
        found == counts.end() ? std::pair<std::uint64_t, std::uint64_t>{300, 300} : found->second;
    const auto figures = measure.run(bench(measure, told));
    ASSERT_TRUE(figures) << figures.error().detail;
    if (expected == 0) {
      EXPECT_GT(figures->events, 0U) << "as many as a second has";
    } else {
      EXPECT_EQ(figures->events, expected);
    }
    EXPECT_GT(figures->rate(), 0);
    if (figures->latency) {
      EXPECT_GT(figures->latency->longest_ms, 0);
    }
  }
}

TEST_F(Measures, SayWhatTheLogSays) {
  Bench broken{
      dir_.path(), 10, [] {
        return Result<std::unique_ptr<EventLog>>(fail(ErrorCode::store_unavailable, "no disk"));
      }};
  for (const Measure& measure : measures()) {
    if (measure.log == UseOfLog::none) continue;
    SCOPED_TRACE(measure.name);
    const auto figures = measure.run(broken);
    ASSERT_FALSE(figures);
    EXPECT_EQ(figures.error().code, ErrorCode::store_unavailable);
  }
}

TEST_F(Measures, ALogThatHoldsMoreThanWasAppendedIsNoMeasure) {
  const auto& append = *std::ranges::find(measures(), "append-single", &Measure::name);
  ASSERT_TRUE(append.run(bench(append, 10)));
  const auto again = append.run(bench(append, 10));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::store_corrupt);
}

}  // namespace
}  // namespace annals::bench
