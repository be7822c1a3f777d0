#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "testing/contract/event_writer.hpp"
#include "testing/contract/store_fixture.hpp"
#include "testing/seed.hpp"

namespace annals::test {

/// A test of the contract: an open store of a new log on the backend that is the parameter.
class StoreContract : public ::testing::TestWithParam<StoreBackend> {
 protected:
  StoreContract() : fixture_(GetParam().make()), writer_(seed()), new_log_(writer_.new_log()) {
    store_ = open();
  }

  /// Another open store of the same place.
  std::unique_ptr<log::Store> open() {
    auto store = fixture_->make();
    const auto opened = store->open(new_log_);
    EXPECT_TRUE(opened) << opened.error().detail;
    return store;
  }

  log::Store& store() { return *store_; }
  StoreFixture& fixture() { return *fixture_; }
  EventWriter& writer() { return writer_; }
  const log::NewLog& new_log() const { return new_log_; }

  /// Closes the store and opens the place anew.
  void reopen() {
    store_.reset();
    store_ = open();
  }

  std::unique_ptr<log::WriteTransaction> begin() {
    auto transaction = store_->begin_write(std::chrono::seconds(10));
    EXPECT_TRUE(transaction) << transaction.error().detail;
    return std::move(*transaction);
  }

  std::vector<Record> append(const std::vector<NewEvent>& events) {
    return writer_.append(*store_, events).records;
  }

  LogState state() {
    const auto state = store_->events().state();
    EXPECT_TRUE(state) << state.error().detail;
    return state.value_or(LogState{});
  }

  /// Everything that is retained.
  std::vector<Record> all() {
    std::vector<Record> records;
    for (;;) {
      const auto after = records.empty() ? 0 : records.back().header.seq;
      const auto page = store_->events().page({.after = after, .limit = 1000});
      EXPECT_TRUE(page) << page.error().detail;
      if (!page || page->records.empty()) return records;
      records.insert(records.end(), page->records.begin(), page->records.end());
    }
  }

 private:
  std::unique_ptr<StoreFixture> fixture_;
  EventWriter writer_;
  log::NewLog new_log_;
  std::unique_ptr<log::Store> store_;
};

/// The value of a result; the test fails when there is none.
template <typename T>
T value(Result<T> result) {
  EXPECT_TRUE(result) << result.error().detail;
  return result ? std::move(*result) : T{};
}

/// The code of a failed result; the test fails when it succeeded.
template <typename T>
ErrorCode code_of(const Result<T>& result) {
  EXPECT_FALSE(result) << "an error was expected";
  return result ? ErrorCode::internal : result.error().code;
}

}  // namespace annals::test
