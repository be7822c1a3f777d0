#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "store/sqlite/sqlite_store.hpp"
#include "testing/contract/event_writer.hpp"
#include "testing/contract/raw_sqlite.hpp"
#include "testing/seed.hpp"
#include "testing/temp_dir.hpp"

namespace annals::test {

/// The whole content of a file.
inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// A folder with a place for one log, and what the tests of the SQLite store do with it.
class SqliteTest : public ::testing::Test {
 protected:
  SqliteTest() : writer_(seed()), new_log_(writer_.new_log()) {}

  [[nodiscard]] std::filesystem::path path() const { return dir_ / "log.db"; }
  [[nodiscard]] const TempDir& dir() const { return dir_; }
  EventWriter& writer() { return writer_; }
  [[nodiscard]] const log::NewLog& new_log() const { return new_log_; }

  /// A store of the file, not yet open.
  [[nodiscard]] std::unique_ptr<store::SqliteStore> make(
      std::chrono::milliseconds busy_timeout = std::chrono::seconds(5)) const {
    return std::make_unique<store::SqliteStore>(
        store::SqliteOptions{.path = path(), .busy_timeout = busy_timeout});
  }

  /// An open store of the file.
  [[nodiscard]] std::unique_ptr<store::SqliteStore> open() const {
    auto store = make();
    const auto opened = store->open(new_log_);
    EXPECT_TRUE(opened) << opened.error().detail;
    return store;
  }

  /// Makes a closed log with two events of stream "a" and one unchained.
  std::vector<Record> make_log() {
    const auto store = open();
    return writer_
        .append(*store, {EventWriter::event("a"), EventWriter::event("a"), EventWriter::event()})
        .records;
  }

 private:
  TempDir dir_;
  EventWriter writer_;
  log::NewLog new_log_;
};

}  // namespace annals::test
