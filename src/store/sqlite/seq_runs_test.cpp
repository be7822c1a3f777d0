#include "store/sqlite/seq_runs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "annals/record.hpp"

namespace annals::store::sqlite {
namespace {

using Seqs = std::vector<std::uint64_t>;

TEST(SeqRuns, WritesRunsInOrder) {
  EXPECT_EQ(encode_seqs({}), "");
  EXPECT_EQ(encode_seqs({7}), "7");
  EXPECT_EQ(encode_seqs({7, 8}), "7-8");
  EXPECT_EQ(encode_seqs({9, 3, 4, 5, 5, 1}), "9,3-5,5,1");
}

TEST(SeqRuns, ReadsOnlyWhatItWrites) {
  for (const auto* text :
       {",", "1,", ",1", "1-", "-1", "2-1", "1--2", "1-2-3", " 1", "x", "1,,2",
        "18446744073709551615", "99999999999999999999", "1-9007199254740991", "1-60000,1-60000"}) {
    EXPECT_EQ(decode_seqs(text), std::nullopt) << text;
  }
}

RC_GTEST_PROP(SeqRuns, ComeBackAsTheyWere, (std::vector<std::uint16_t> steps)) {
  Seqs seqs;
  std::uint64_t seq = 1;
  for (const auto step : steps) {
    seq = step % 3 == 0 ? step : seq + 1;
    seqs.push_back(seq);
  }
  RC_ASSERT(decode_seqs(encode_seqs(seqs)) == seqs);
}

}  // namespace
}  // namespace annals::store::sqlite
