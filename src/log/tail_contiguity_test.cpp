#include "log/tail_contiguity.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace annals::log {
namespace {

Page page_of(std::initializer_list<std::uint64_t> seqs, std::uint64_t head,
             std::uint64_t oldest = 1) {
  Page page;
  for (const auto seq : seqs) {
    Record record;
    record.header.seq = seq;
    page.records.push_back(record);
  }
  page.head = head;
  page.oldest = oldest;
  return page;
}

TEST(Contiguity, NextNumbersAreOne) {
  const auto result = check_contiguity(4, page_of({5, 6}, 6), {});
  EXPECT_FALSE(result.missing);
  EXPECT_EQ(result.end, 6U);
  EXPECT_EQ(result.holes, 0U);
}

TEST(Contiguity, NothingNewIsOne) {
  const auto result = check_contiguity(4, page_of({}, 4), {});
  EXPECT_FALSE(result.missing);
  EXPECT_EQ(result.end, 4U);
}

TEST(Contiguity, PageMayEndBeforeTheHead) {
  const auto result = check_contiguity(4, page_of({5, 6, 7}, 90), {});
  EXPECT_FALSE(result.missing);
  EXPECT_EQ(result.end, 7U);
}

TEST(Contiguity, HolesNameTheFirstMissingNumber) {
  EXPECT_EQ(check_contiguity(4, page_of({6}, 6), {}).missing, 5U);
  EXPECT_EQ(check_contiguity(4, page_of({5, 8}, 8), {}).missing, 6U);
  EXPECT_EQ(check_contiguity(4, page_of({}, 5), {}).missing, 5U);
}

TEST(Contiguity, RepeatedAndBackwardNumbersAreNone) {
  EXPECT_TRUE(check_contiguity(4, page_of({4}, 4), {}).missing);
  EXPECT_TRUE(check_contiguity(4, page_of({5, 5}, 5), {}).missing);
}

TEST(Contiguity, RetentionExplainsWhatIsBelowTheOldest) {
  const auto result = check_contiguity(4, page_of({9, 10}, 10, 9), {});
  EXPECT_FALSE(result.missing);
  EXPECT_EQ(result.end, 10U);
  EXPECT_EQ(result.holes, 1U);
  EXPECT_EQ(result.numbers, 4U);
  EXPECT_EQ(check_contiguity(4, page_of({10}, 10, 9), {}).missing, 9U);
}

TEST(Contiguity, RecordedGapsExplainTheirNumbersOnly) {
  const std::vector<Gap> gaps{{5, 7, 8}, {10, 11, 12}};
  const auto result = check_contiguity(4, page_of({8, 9, 12}, 12), gaps);
  EXPECT_FALSE(result.missing);
  EXPECT_EQ(result.end, 12U);
  EXPECT_EQ(result.holes, 2U);
  EXPECT_EQ(result.numbers, 5U);
  EXPECT_EQ(check_contiguity(4, page_of({9}, 9), gaps).missing, 8U);
}

TEST(Contiguity, AdjoiningGapsAndRetentionAddUp) {
  const std::vector<Gap> gaps{{7, 8, 20}, {9, 9, 20}};
  const auto result = check_contiguity(4, page_of({10}, 10, 7), gaps);
  EXPECT_FALSE(result.missing);
  EXPECT_EQ(result.numbers, 5U);
}

TEST(Contiguity, GapAtTheEndMovesTheEnd) {
  const std::vector<Gap> gaps{{6, 8, 9}};
  const auto result = check_contiguity(5, page_of({}, 8), gaps);
  EXPECT_FALSE(result.missing);
  EXPECT_EQ(result.end, 8U);
  EXPECT_EQ(check_contiguity(5, page_of({}, 9), gaps).missing, 9U);
}

}  // namespace
}  // namespace annals::log
