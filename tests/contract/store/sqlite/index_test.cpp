// The index beside the file: answers are the same with it, without it, and with a part of it.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <ranges>
#include <thread>

#include "core/filter.hpp"
#include "store/index/run_folder.hpp"
#include "testing/contract/filter_gen.hpp"
#include "testing/event_gen.hpp"
#include "testing/random.hpp"
#include "tests/contract/store/sqlite/sqlite_test.hpp"

namespace annals::test {
namespace {

namespace fs = std::filesystem;
using Numbers = std::vector<std::uint64_t>;

class Index : public SqliteTest {
 public:
  Index() : store(open()) {}

  /// Appends random events whose members repeat.
  void append(std::size_t count) {
    while (count > 0) {
      const auto batch = std::min<std::size_t>(count, 500);
      writer().append(*store, filters.shape(gen.batch(batch)));
      writer().clock().tick(std::chrono::milliseconds(1));
      count -= batch;
    }
  }

  [[nodiscard]] fs::path folder() const {
    auto name = path();
    name += "-index";
    return name;
  }

  /// The last number that the index covers without a hole from the beginning on.
  [[nodiscard]] std::uint64_t covered() const {
    store::index::RunFolder runs;
    runs.set_path(folder());
    const auto list = runs.runs([](const store::index::RunInfo&) { return true; });
    std::uint64_t next = 1;
    while (const auto* run = store::index::run_at(*list, next))
      next = run->info().to + 1;
    return next - 1;
  }

  /// Lets the log be idle until the index has caught up: so few are left that a run is not worth
  /// it.
  void index() const {
    constexpr std::uint64_t few = 256;
    const auto head = store->events().state()->event_seq;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (covered() + few <= head && std::chrono::steady_clock::now() < deadline) {
      store->maintain(true);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ASSERT_GT(covered() + few, head);
  }

  void reopen() {
    store.reset();
    store = open();
  }

  [[nodiscard]] std::vector<Record> all() const {
    std::vector<Record> records;
    for (std::uint64_t after = 0;;) {
      const auto page = store->events().page({.after = after, .limit = 1000});
      EXPECT_TRUE(page);
      if (!page || page->records.empty()) return records;
      records.insert(records.end(), page->records.begin(), page->records.end());
      after = page->scanned;
    }
  }

  void expect_exact_filters(const std::vector<Record>& records) {
    for (int i = 0; i < 60; ++i) {
      const auto filter = filters.filter(random.pick(records));
      Numbers expected;
      for (const auto& record : records) {
        if (core::matches(filter, record)) expected.push_back(record.header.seq);
      }
      ASSERT_EQ(walk(store->events(), filter, Order::forward, random), expected);
      std::ranges::reverse(expected);
      ASSERT_EQ(walk(store->events(), filter, Order::backward, random), expected);
    }
  }

  void expect_exact_streams(const std::vector<Record>& records) {
    for (const auto& stream : gen.streams()) {
      std::vector<Record> expected;
      for (const auto& record : records) {
        if (record.header.stream == stream) expected.push_back(record);
      }
      for (int i = 0; i < 20; ++i) {
        StreamReadOptions options;
        options.limit = random.between(1, 60);
        options.after = random.below(expected.size() + 3);
        const auto above = [&](const Record& record) {
          return record.header.stream_seq > options.after;
        };
        std::vector<Record> part;
        std::ranges::copy_if(expected, std::back_inserter(part), above);
        part.resize(std::min(part.size(), options.limit));
        ASSERT_EQ(store->events().stream_page(stream, options)->records, part);
        options.order = Order::backward;
        options.before = random.chance(20) ? max_seq + 1 : random.below(expected.size() + 3);
        part.clear();
        for (const auto& record : std::views::reverse(expected)) {
          if (record.header.stream_seq < options.before && part.size() < options.limit) {
            part.push_back(record);
          }
        }
        ASSERT_EQ(store->events().stream_page(stream, options)->records, part);
      }
    }
  }

  void expect_exact() {
    const auto records = all();
    expect_exact_filters(records);
    expect_exact_streams(records);
  }

  /// Every file of the index.
  [[nodiscard]] std::vector<fs::path> runs() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder())) {
      if (entry.path().extension() == ".run") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
  }

  Random random{seed()};
  EventGen gen{seed(), {.streams = 4, .payload_bytes = 60, .edge_percent = 0}};
  FilterGen filters{seed()};
  std::unique_ptr<store::SqliteStore> store;
};

TEST_F(Index, AnswersAreTheSameWithEveryPartOfIt) {
  append(900);
  expect_exact();
  index();
  expect_exact();
  append(400);  // covered up to 900, rows behind
  expect_exact();
  index();
  append(300);
  index();
  ASSERT_GE(runs().size(), 3U);
  fs::remove(runs()[1]);  // a hole
  expect_exact();
  reopen();
  expect_exact();
  fs::remove_all(folder());
  expect_exact();
  index();
  expect_exact();
}

TEST_F(Index, ManySmallRunsBecomeOne) {
  for (int i = 0; i < 12; ++i) {
    append(300);
    index();
  }
  // Merged while the last ones came; the next idle moment does the rest.
  EXPECT_LT(runs().size(), 12U);
  expect_exact();
}

TEST_F(Index, ADamagedFileHidesNothingAndIsReplaced) {
  append(2000);
  index();
  for (const auto& file : runs()) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(fs::file_size(file) / 3));
    stream.write("damaged!", 8);
  }
  expect_exact();
  reopen();
  expect_exact();
  append(300);
  index();
  expect_exact();
}

TEST_F(Index, ALogPutBackToAnEarlierStateIsNotReadByALaterIndex) {
  append(400);
  store.reset();
  const auto earlier = bytes_of(path());
  store = open();
  append(600);
  index();
  store.reset();
  write_bytes(path(), earlier);
  store = open();
  expect_exact();
  append(700);  // other events under the same numbers
  expect_exact();
  index();
  expect_exact();
}

TEST_F(Index, TheIndexOfAnotherLogIsNotUsed) {
  append(600);
  index();
  TempDir elsewhere;
  EventWriter other_writer(seed() + 1);
  store::SqliteStore other({.path = elsewhere / "log.db"});
  ASSERT_TRUE(other.open(other_writer.new_log()));
  auto event = EventWriter::event("s");
  event.resource.id = "only";
  other_writer.append(other, {event});
  other_writer.append(other, EventWriter::events(599));
  fs::copy(folder(), elsewhere / "log.db-index");
  const auto page = other.events().page({.filter = {.resource_id = "only"}});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->records.size(), 1U);
}

TEST_F(Index, ErasedMembersMatchNoMore) {
  append(300);
  auto event = EventWriter::event("s");
  event.labels = {{"who", "alex"}};
  const auto seq = writer().append(*store, {event}).records.front().header.seq;
  append(300);
  index();
  const Filter filter{.labels = {{"who", "alex"}}};
  EXPECT_EQ(store->events().page({.filter = filter})->records.size(), 1U);
  RawSqlite(path()).must(
      "UPDATE annals_events SET meta = NULL, meta_salt = NULL, meta_digest = randomblob(32),"
      " redacted_at = 5 WHERE seq = " +
      std::to_string(seq));
  EXPECT_TRUE(store->events().page({.filter = filter})->records.empty());
  fs::remove_all(folder());
  EXPECT_TRUE(store->events().page({.filter = filter})->records.empty());
}

TEST_F(Index, WhatRetentionTookIsNotFoundAndWhatIsLeftIs) {
  append(1500);
  index();
  RawSqlite raw(path());
  raw.must("UPDATE annals_log_state SET oldest = 700");
  expect_exact();
  raw.must("DELETE FROM annals_events WHERE seq < 700");
  expect_exact();
  reopen();
  append(400);
  index();
  expect_exact();
}

TEST_F(Index, TwoStoresOfOneFileShareIt) {
  auto second = open();
  append(1000);
  for (int i = 0; i < 20; ++i) {
    append(100);
    store->maintain(true);
    second->maintain(true);
  }
  index();
  const auto records = all();
  store.swap(second);
  expect_exact_filters(records);
}

TEST_F(Index, ASmallLogHasNone) {
  append(100);
  store->maintain(true);
  store.reset();
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(Index, AFolderThatCannotBeMadeStopsNothing) {
  std::ofstream(folder()) << "in the way";
  append(1000);
  store->maintain(true);
  expect_exact();
}

}  // namespace
}  // namespace annals::test
