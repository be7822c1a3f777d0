#include "store/index/run.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "store/index/build_run.hpp"
#include "store/index/run_folder.hpp"
#include "store/index/run_matches.hpp"
#include "testing/random.hpp"
#include "testing/seed.hpp"
#include "testing/temp_dir.hpp"

namespace annals::store::index {
namespace {

const Uuid log_id{{1}};

RunInfo info_of(std::uint64_t from, std::uint64_t to) {
  return {log_id, from, to, Digest{static_cast<std::uint8_t>(to)}};
}

/// Few values and many, so that postings of all lengths and blocks of all kinds are made.
Header header_of(std::uint64_t seq) {
  Header header;
  header.seq = seq;
  header.type = "order.paid";
  header.stream = "s" + std::to_string(seq % 7);
  header.resource = {"order", "r" + std::to_string(seq), std::nullopt};
  return header;
}

Meta meta_of(std::uint64_t seq) {
  Meta meta;
  meta.labels = {{"n", std::to_string(seq % 100)}};
  return meta;
}

class RunTest : public ::testing::Test {
 public:
  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return dir / name; }

  [[nodiscard]] std::shared_ptr<const index::Run> make(std::uint64_t from, std::uint64_t to) const {
    RunBuilder builder(from);
    for (auto seq = from; seq <= to; ++seq)
      builder.add(header_of(seq), meta_of(seq));
    const auto path = file(std::to_string(from) + "-" + std::to_string(to));
    const auto written = builder.write(path, info_of(from, to));
    EXPECT_TRUE(written) << written.error().detail;
    return open(path);
  }

  static std::shared_ptr<const index::Run> open(const std::filesystem::path& path) {
    const auto run = index::Run::open(path);
    EXPECT_TRUE(run) << run.error().detail;
    return run.value_or(nullptr);
  }

  /// The numbers that a run has for a filter.
  static std::set<std::uint64_t> found(const index::Run& run, const Filter& filter) {
    std::set<std::uint64_t> seqs;
    auto matches = RunMatches::find(run, keys_of(filter));
    EXPECT_TRUE(matches) << matches.error().detail;
    if (!matches || !*matches) return seqs;
    for (auto seq = (*matches)->at_or_after(run.info().from); seq;
         seq = (*matches)->at_or_after(*seq + 1)) {
      seqs.insert(*seq);
    }
    return seqs;
  }

  static void flip(const std::filesystem::path& path, std::uint64_t at) {
    std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(at));
    const auto byte = static_cast<char>(stream.get());
    stream.seekp(static_cast<std::streamoff>(at));
    stream.put(static_cast<char>(byte ^ 0x10));
  }

  test::TempDir dir;
};

void expect_everything(const index::Run& run) {
  const auto& info = run.info();
  std::map<std::string, std::set<std::uint64_t>> streams;
  for (auto seq = info.from; seq <= info.to; ++seq) {
    streams[*header_of(seq).stream].insert(seq);
    if (seq % 13 == 0) {
      EXPECT_EQ(RunTest::found(run, {.resource_id = "r" + std::to_string(seq)}),
                std::set<std::uint64_t>{seq});
    }
  }
  for (const auto& [stream, seqs] : streams)
    EXPECT_EQ(RunTest::found(run, {.stream = stream}), seqs);
  EXPECT_EQ(RunTest::found(run, {.type = "order.*"}).size(), info.span());
  EXPECT_EQ(RunTest::found(run, {.type = "order.paid"}).size(), info.span());
  EXPECT_TRUE(RunTest::found(run, {.type = "order"}).empty());
  EXPECT_TRUE(RunTest::found(run, {.resource_id = "absent"}).empty());
}

TEST_F(RunTest, FindsWhatItWasMadeOf) {
  const auto run = make(5, 3000);
  EXPECT_EQ(run->info(), info_of(5, 3000));
  expect_everything(*run);
  std::set<std::uint64_t> both;
  for (std::uint64_t seq = 5; seq <= 3000; ++seq) {
    if (seq % 7 == 3 && seq % 100 == 10) both.insert(seq);
  }
  EXPECT_EQ(found(*run, {.stream = "s3", .labels = {{"n", "10"}}}), both);
}

TEST_F(RunTest, MergedRunsAreARunOverAll) {
  const RunList parts{make(1, 700), make(701, 702), make(703, 2500)};
  const auto merged = merge_runs(parts, file("merged"), [] { return false; });
  ASSERT_TRUE(merged && *merged);
  const auto run = open(file("merged"));
  EXPECT_EQ(run->info(), info_of(1, 2500));
  expect_everything(*run);
  // The same bytes as if it had been made at once.
  std::ifstream left(file("merged"), std::ios::binary);
  std::ifstream right(make(1, 2500)->path(), std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(left), {}),
            std::string(std::istreambuf_iterator<char>(right), {}));
}

TEST_F(RunTest, AnInterruptedMergeLeavesNothing) {
  const RunList parts{make(1, 9000), make(9001, 18'000)};
  const auto merged = merge_runs(parts, file("merged"), [] { return true; });
  ASSERT_TRUE(merged);
  EXPECT_FALSE(*merged);
  EXPECT_FALSE(std::filesystem::exists(file("merged")));
}

TEST_F(RunTest, EveryDamagedByteIsFoundOrDoesNotMatter) {
  const auto path = make(1, 400)->path();
  const auto size = std::filesystem::file_size(path);
  test::Random random(test::seed());
  for (int i = 0; i < 300; ++i) {
    const auto at = random.below(size);
    flip(path, at);
    const auto run = index::Run::open(path);
    if (run) {
      bool failed = false;
      for (std::uint64_t seq = 1; seq <= 400; ++seq) {
        const auto postings = (*run)->find(keys_of({.resource_id = "r" + std::to_string(seq)})[0]);
        failed |= !postings;
        EXPECT_TRUE(!postings || *postings) << "an event is hidden, byte " << at;
      }
      EXPECT_EQ((*run)->damaged(), failed);
    }
    flip(path, at);
  }
  expect_everything(*open(path));
}

TEST_F(RunTest, AFileThatIsCutIsNoRun) {
  const auto path = make(1, 400)->path();
  for (const std::uint64_t size : {std::filesystem::file_size(path) - 1, std::uint64_t{4096},
                                   std::uint64_t{50}, std::uint64_t{0}}) {
    std::filesystem::resize_file(path, size);
    EXPECT_FALSE(index::Run::open(path)) << size;
  }
}

class RunFolderTest : public RunTest {
 public:
  RunFolderTest() {
    folder.set_path(dir / "index");
    std::filesystem::create_directory(folder.path());
  }

  void put(std::uint64_t from, std::uint64_t to, const Uuid& log = log_id) {
    RunBuilder builder(from);
    for (auto seq = from; seq <= to; ++seq)
      builder.add(header_of(seq), meta_of(seq));
    auto info = info_of(from, to);
    info.log_id = log;
    const auto draft = folder.draft_name(from, to);
    ASSERT_TRUE(builder.write(draft, info));
    ASSERT_TRUE(folder.publish(draft, from, to));
  }

  std::vector<std::pair<std::uint64_t, std::uint64_t>> covered() {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;
    for (const auto& run : *folder.runs(fits))
      parts.emplace_back(run->info().from, run->info().to);
    return parts;
  }

  RunFolder folder;
  RunFolder::Fits fits = [](const RunInfo& info) { return info.log_id == log_id; };
};

using Parts = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

TEST_F(RunFolderTest, RunsAppearOnceTheyArePublished) {
  EXPECT_EQ(covered(), Parts{});
  put(1, 10);
  EXPECT_EQ(covered(), (Parts{{1, 10}}));
  // Another process sees what this one does, however soon after the last look.
  RunFolder other;
  other.set_path(folder.path());
  EXPECT_EQ(other.runs(fits)->size(), 1U);
  put(11, 20);
  EXPECT_EQ(other.runs(fits)->size(), 2U);
  EXPECT_EQ(covered(), (Parts{{1, 10}, {11, 20}}));
}

TEST_F(RunFolderTest, ALargerRunHidesItsParts) {
  put(1, 10);
  put(11, 20);
  put(1, 20);
  put(21, 30);
  EXPECT_EQ(covered(), (Parts{{1, 20}, {21, 30}}));
  folder.tidy(fits);
  EXPECT_FALSE(std::filesystem::exists(folder.final_name(1, 10)));
  EXPECT_EQ(covered(), (Parts{{1, 20}, {21, 30}}));
}

TEST_F(RunFolderTest, RunsOfAnotherLogAndHalfWrittenOnesAreLeftOutAndTidiedAway) {
  put(1, 10);
  put(11, 20, Uuid{{9}});
  std::ofstream(folder.draft_name(21, 30)) << "half";
  std::ofstream(folder.final_name(31, 40)) << "torn by a power failure";
  EXPECT_EQ(covered(), (Parts{{1, 10}}));
  folder.tidy(fits);
  EXPECT_FALSE(std::filesystem::exists(folder.final_name(11, 20)));
  EXPECT_FALSE(std::filesystem::exists(folder.draft_name(21, 30)));
  EXPECT_FALSE(std::filesystem::exists(folder.final_name(31, 40)));
  EXPECT_EQ(covered(), (Parts{{1, 10}}));
}

TEST_F(RunFolderTest, ADamagedRunIsLeftOutAfterItWasFound) {
  put(1, 100);
  put(101, 200);
  flip(folder.final_name(1, 100), 10);
  const auto runs = folder.runs(fits);
  EXPECT_FALSE(runs->front()->find(stream_key("s1")));
  EXPECT_EQ(covered(), (Parts{{101, 200}}));
}

TEST_F(RunFolderTest, WhatIsCoveredIsTold) {
  put(5, 10);
  put(20, 30);
  const auto runs = *folder.runs(fits);
  EXPECT_EQ(run_at(runs, 4), nullptr);
  EXPECT_EQ(run_at(runs, 5), runs[0].get());
  EXPECT_EQ(run_at(runs, 11), nullptr);
  EXPECT_EQ(run_at(runs, 30), runs[1].get());
  const auto* first = runs.front().get();
  const auto* second = runs.back().get();
  EXPECT_EQ(stretch_from(runs, 1, 100), (Stretch{nullptr, 1, 4}));
  EXPECT_EQ(stretch_from(runs, 7, 100), (Stretch{first, 7, 10}));
  EXPECT_EQ(stretch_from(runs, 7, 8), (Stretch{first, 7, 8}));
  EXPECT_EQ(stretch_from(runs, 11, 100), (Stretch{nullptr, 11, 19}));
  EXPECT_EQ(stretch_from(runs, 11, 15), (Stretch{nullptr, 11, 15}));
  EXPECT_EQ(stretch_from(runs, 20, 100), (Stretch{second, 20, 30}));
  EXPECT_EQ(stretch_from(runs, 31, 100), (Stretch{nullptr, 31, 100}));
  EXPECT_EQ(stretch_to(runs, 1, 100), (Stretch{nullptr, 31, 100}));
  EXPECT_EQ(stretch_to(runs, 1, 25), (Stretch{second, 20, 25}));
  EXPECT_EQ(stretch_to(runs, 22, 25), (Stretch{second, 22, 25}));
  EXPECT_EQ(stretch_to(runs, 1, 19), (Stretch{nullptr, 11, 19}));
  EXPECT_EQ(stretch_to(runs, 12, 19), (Stretch{nullptr, 12, 19}));
  EXPECT_EQ(stretch_to(runs, 1, 4), (Stretch{nullptr, 1, 4}));
  EXPECT_EQ(stretch_to(runs, 1, 10), (Stretch{first, 5, 10}));
}

TEST_F(RunFolderTest, OneHoldsTheLock) {
  FolderLock first;
  FolderLock second;
  EXPECT_TRUE(*first.try_acquire(folder.path()));
  EXPECT_FALSE(*second.try_acquire(folder.path()));
  first.release();
  EXPECT_TRUE(*second.try_acquire(folder.path()));
}

}  // namespace
}  // namespace annals::store::index
