// A single bit of a closed log is flipped, in its file or in the index beside it: C4.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "annals/open.hpp"
#include "testing/random.hpp"
#include "testing/seed.hpp"
#include "testing/temp_dir.hpp"

namespace annals::test {
namespace {

namespace fs = std::filesystem;

constexpr int flips = 50;

bool soak() {
  return std::getenv("ANNALS_SOAK") != nullptr;
}

std::unique_ptr<EventLog> open_log(const fs::path& folder) {
  auto log = open("sqlite:" + (folder / "log.db").string(), {.create = false});
  return log ? std::move(*log) : nullptr;
}

NewEvent event(std::size_t number) {
  NewEvent event;
  event.type = number % 3 == 0 ? "order.placed" : "order.paid";
  if (number % 4 != 0) event.stream = "order-" + std::to_string(number % 97);
  event.scope.channel_id = "c" + std::to_string(number % 11);
  event.labels = {{"customer", "k" + std::to_string(number % 500)}};
  event.payload = R"({"number":)" + std::to_string(number) + R"(,"text":")" +
                  std::string(number % 300, 'x') + R"("})";
  return event;
}

/// A log with keys, a catalogue, many streams and an index, closed.
void make_log(const fs::path& folder, std::size_t events) {
  auto log = open("sqlite:" + (folder / "log.db").string(), {});
  ASSERT_TRUE(log) << log.error().detail;
  const auto admin = (*log)->local_admin();
  ASSERT_TRUE((*log)->apply_catalogue(admin, R"({"types":[{"pattern":"order.*"}]})"));
  ASSERT_TRUE((*log)->create_key(admin, {"alex", {"order.*"}, {ReadGrant::all()}, {}, {}, {}}));
  constexpr std::size_t batch = 1000;
  for (std::size_t first = 0; first < events; first += batch) {
    std::vector<NewEvent> all;
    for (std::size_t i = 0; i < batch; ++i)
      all.push_back(event(first + i));
    ASSERT_TRUE((*log)->append(admin, std::move(all)));
  }
  ASSERT_TRUE((*log)->stop());
}

/// Everything that can be read of a log; `nullopt` once something is refused.
struct Content {
  std::vector<Record> records;
  std::vector<Record> of_a_customer;
  std::vector<Key> keys;

  friend bool operator==(const Content&, const Content&) = default;
};

std::optional<std::vector<Record>> read_all(const EventLog& log, const Filter& filter) {
  std::vector<Record> all;
  for (std::uint64_t after = 0;;) {
    auto page = log.read({.after = after, .limit = 1000, .filter = filter});
    if (!page) return std::nullopt;
    for (Record& record : page->records)
      all.push_back(std::move(record));
    if (page->caught_up) return all;
    if (page->scanned <= after) return std::nullopt;
    after = page->scanned;
  }
}

std::optional<Content> read_content(const EventLog& log) {
  auto records = read_all(log, {});
  auto of_a_customer = read_all(log, {.labels = {{"customer", "k77"}}});
  auto keys = log.keys();
  if (!records || !of_a_customer || !keys) return std::nullopt;
  return Content{std::move(*records), std::move(*of_a_customer), std::move(*keys)};
}

struct Place {
  fs::path file;
  std::uint64_t bit = 0;
};

/// Any bit of any file of the log is as likely as any other.
Place choose(const fs::path& folder, Random& random) {
  std::vector<fs::path> files;
  std::uint64_t total = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files.push_back(entry.path());
    total += entry.file_size();
  }
  std::ranges::sort(files);
  auto byte = random.between(0, total - 1);
  for (const fs::path& file : files) {
    const auto size = fs::file_size(file);
    if (byte < size) return {file, byte * 8 + random.between(0, 7)};
    byte -= size;
  }
  throw std::logic_error("no file has this byte");
}

void flip(const Place& place) {
  std::fstream file(place.file, std::ios::in | std::ios::out | std::ios::binary);
  const auto at = static_cast<std::streamoff>(place.bit / 8);
  const auto byte = static_cast<char>(file.seekg(at).get());
  file.seekp(at).put(static_cast<char>(byte ^ (1 << (place.bit % 8))));
  ASSERT_TRUE(file);
}

TEST(BitFlips, AreFoundOrChangeNothing) {
  const std::size_t events = soak() ? 100'000 : 3000;
  const TempDir original;
  make_log(original.path(), events);
  std::optional<Content> content;
  {
    const auto log = open_log(original.path());
    ASSERT_TRUE(log);
    content = read_content(*log);
    ASSERT_TRUE(content);
    ASSERT_EQ(content->records.size(), events + 2);
    ASSERT_EQ(content->of_a_customer.size(), events / 500);
  }
  Random random{seed()};
  int found = 0;
  for (int i = 0; i < flips; ++i) {
    const TempDir damaged;
    fs::copy(original.path(), damaged.path(), fs::copy_options::recursive);
    const Place place = choose(damaged.path(), random);
    SCOPED_TRACE(place.file.filename().string() + " bit " + std::to_string(place.bit));
    flip(place);
    const auto log = open_log(damaged.path());
    if (!log) {
      ++found;
      continue;
    }
    const auto report = log->verify({});
    const auto now = read_content(*log);
    if (!report || !report->clean() || !now) {
      ++found;
      continue;
    }
    // Free space, and what the log can do without, like its index.
    EXPECT_TRUE(*now == *content) << "silent";
  }
  std::cout << "found " << found << " of " << flips << ", the rest changed nothing\n";
  EXPECT_GT(found, flips / 2);
}

}  // namespace
}  // namespace annals::test
