#include "store/index/postings.hpp"

#include <gtest/gtest.h>

#include <set>

#include "testing/random.hpp"
#include "testing/seed.hpp"

namespace annals::store::index {
namespace {

std::set<std::uint32_t> random_offsets(test::Random& random, std::size_t count,
                                       std::uint32_t span) {
  std::set<std::uint32_t> offsets;
  while (offsets.size() < count)
    offsets.insert(static_cast<std::uint32_t>(random.below(span)));
  return offsets;
}

Postings packed(const std::set<std::uint32_t>& offsets) {
  std::string bytes;
  Postings::pack(bytes, std::vector<std::uint32_t>(offsets.begin(), offsets.end()));
  auto postings = Postings::unpack(bytes);
  EXPECT_TRUE(postings.has_value());
  return std::move(*postings);
}

TEST(Postings, GiveBackWhatWasPacked) {
  test::Random random(test::seed());
  for (const std::size_t count : {1U, 2U, 255U, 256U, 257U, 512U, 513U, 3000U}) {
    const auto offsets = random_offsets(random, count, 4'000'000);
    const auto postings = packed(offsets);
    EXPECT_EQ(postings.size(), count);
    std::vector<std::uint32_t> all;
    postings.append_to(all, 5);
    std::vector<std::uint32_t> expected;
    for (const auto offset : offsets)
      expected.push_back(offset + 5);
    EXPECT_EQ(all, expected);
  }
}

TEST(Postings, NeighboursTakeAByteEach) {
  std::set<std::uint32_t> offsets;
  for (std::uint32_t i = 0; i < 256; ++i)
    offsets.insert(i);
  std::string bytes;
  Postings::pack(bytes, std::vector<std::uint32_t>(offsets.begin(), offsets.end()));
  EXPECT_LT(bytes.size(), 260U);
}

TEST(Postings, CursorsFindNeighboursInBothDirections) {
  test::Random random(test::seed());
  for (const std::size_t count : {1U, 2U, 256U, 700U}) {
    const auto offsets = random_offsets(random, count, 5000);
    PostingsCursor cursor(packed(offsets));
    std::size_t position = 0;
    for (const auto offset : offsets)
      EXPECT_EQ(cursor.at(position++), offset);
    for (int i = 0; i < 2000; ++i) {
      const auto asked = static_cast<std::uint32_t>(random.below(5100));
      const auto next = offsets.lower_bound(asked);
      EXPECT_EQ(cursor.at_or_after(asked),
                next == offsets.end() ? std::nullopt : std::optional(*next));
      const auto behind = offsets.upper_bound(asked);
      EXPECT_EQ(cursor.at_or_before(asked),
                behind == offsets.begin() ? std::nullopt : std::optional(*std::prev(behind)));
    }
  }
}

TEST(Postings, BytesOfSomethingElseAreRefused) {
  EXPECT_FALSE(Postings::unpack(""));
  EXPECT_FALSE(Postings::unpack(std::string(1, '\0')));
  EXPECT_FALSE(Postings::unpack("\xff\xff\x03xx"));
}

}  // namespace
}  // namespace annals::store::index
