#include "annals/open.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "open/make_store.hpp"
#include "testing/temp_dir.hpp"

namespace annals {
namespace {

NewEvent event_of(std::string type) {
  NewEvent event;
  event.type = std::move(type);
  return event;
}

TEST(Open, RefusesWhatIsNoStoreUrl) {
  for (const auto* url :
       {"", "annals.db", "sqlite:", "memory", "memory:x", "postgresql://x", "SQLITE:x"}) {
    const auto log = open(url);
    ASSERT_FALSE(log) << url;
    EXPECT_EQ(log.error().code, ErrorCode::invalid_request) << url;
  }
}

TEST(Open, WithoutCreateAMissingFileIsNotFoundAndStaysMissing) {
  const test::TempDir folder;
  const auto file = folder / "annals.db";
  const auto log = open("sqlite:" + file.string(), {.create = false});
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, ErrorCode::not_found);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Open, ASqliteLogContinuesAfterItWasClosed) {
  const test::TempDir folder;
  const auto url = "sqlite:" + (folder / "annals.db").string();
  Uuid log_id;
  {
    auto log = open(url);
    ASSERT_TRUE(log) << log.error().detail;
    const auto first = (*log)->append((*log)->local_admin(), event_of("order.placed"));
    ASSERT_TRUE(first) << first.error().detail;
    EXPECT_EQ(first->receipt.head, 1U);
    log_id = (*log)->state()->log_id;
  }
  auto log = open(url, {.create = false});
  ASSERT_TRUE(log) << log.error().detail;
  const auto second = (*log)->append((*log)->local_admin(), event_of("order.paid"));
  ASSERT_TRUE(second) << second.error().detail;
  EXPECT_EQ(second->receipt.head, 2U);
  EXPECT_EQ((*log)->state()->log_id, log_id);
}

TEST(Open, AMemoryLogLivesAsLongAsItsObject) {
  {
    auto log = open("memory:");
    ASSERT_TRUE(log) << log.error().detail;
    ASSERT_TRUE((*log)->append((*log)->local_admin(), event_of("order.placed")));
  }
  auto log = open("memory:");
  ASSERT_TRUE(log) << log.error().detail;
  EXPECT_EQ((*log)->state()->event_seq, 0U);
}

TEST(Open, AFileThatIsNoStoreIsLeftAsItIs) {
  const test::TempDir folder;
  const auto file = folder / "letter.txt";
  const std::string letter(5000, 'x');
  std::ofstream(file) << letter;
  const auto log = open("sqlite:" + file.string());
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, ErrorCode::store_corrupt);
  std::string content;
  std::getline(std::ifstream(file), content);
  EXPECT_EQ(content, letter);
}

TEST(Open, MakingAStoreTouchesNothing) {
  const test::TempDir folder;
  const auto store = make_store("sqlite:" + (folder / "annals.db").string(), {});
  ASSERT_TRUE(store);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace annals
