#include "testing/append_recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "testing/temp_dir.hpp"

namespace annals::test {
namespace {

using Outcome = JournalEntry::Outcome;
using testing::ElementsAre;
using testing::IsEmpty;

Uuid id_of(std::uint8_t number) {
  Uuid id;
  id.bytes[0] = number;
  return id;
}

Digest hash_of(std::uint8_t number) {
  Digest hash{};
  hash[31] = number;
  return hash;
}

class AppendRecorderTest : public testing::Test {
 protected:
  Journal load() {
    Journal journal;
    EXPECT_TRUE(load_journal(file_, journal));
    return journal;
  }

  TempDir dir_;
  std::filesystem::path file_ = dir_ / "journal";
};

TEST_F(AppendRecorderTest, KeepsWhatWasSentAndAnswered) {
  AppendRecorder recorder(file_);
  const std::vector<Uuid> two{id_of(1), id_of(2)};
  const std::vector<Uuid> one{id_of(3)};
  const auto first = recorder.sending(two);
  const auto second = recorder.sending(one);
  const auto third = recorder.sending(one);
  recorder.refused(third);
  recorder.accepted(first, std::vector<AnsweredPlace>{{7, 3, hash_of(1)}, {8, {}, hash_of(2)}},
                    Receipt{8, hash_of(3)});

  const Journal journal = load();
  ASSERT_EQ(journal.size(), 3U);
  EXPECT_EQ(second, first + 1);
  EXPECT_EQ(journal[0].outcome, Outcome::accepted);
  EXPECT_THAT(journal[0].tokens, ElementsAre(id_of(1), id_of(2)));
  EXPECT_THAT(journal[0].places, ElementsAre(AnsweredPlace{7, 3, hash_of(1)},
                                             AnsweredPlace{8, std::nullopt, hash_of(2)}));
  EXPECT_EQ(journal[0].receipt, (Receipt{8, hash_of(3)}));
  EXPECT_EQ(journal[1].outcome, Outcome::unanswered);
  EXPECT_EQ(journal[2].outcome, Outcome::refused);
  EXPECT_EQ(last_receipt(journal), journal[0].receipt);
}

TEST_F(AppendRecorderTest, UnderstandsTheAnswersOfTheLibrary) {
  AppendRecorder recorder(file_);
  const std::vector<Uuid> one{id_of(1)};
  AppendResult result;
  result.events.push_back({5, id_of(1), 2, hash_of(1), false, false, {}});
  result.receipt = {5, hash_of(4)};
  recorder.answered(recorder.sending(one), result);
  recorder.answered(recorder.sending(one), fail(ErrorCode::busy, ""));
  recorder.answered(recorder.sending(one), fail(ErrorCode::commit_unknown, ""));
  recorder.durable(recorder.sending(one));

  const Journal journal = load();
  EXPECT_THAT(journal[0].places, ElementsAre(AnsweredPlace{5, 2, hash_of(1)}));
  EXPECT_EQ(journal[0].receipt, (Receipt{5, hash_of(4)}));
  EXPECT_EQ(journal[1].outcome, Outcome::refused);
  EXPECT_EQ(journal[2].outcome, Outcome::unanswered);
  EXPECT_EQ(journal[3].outcome, Outcome::accepted);
  EXPECT_THAT(journal[3].places, IsEmpty());
}

TEST_F(AppendRecorderTest, ATornLastLineCountsAsNotWritten) {
  {
    AppendRecorder recorder(file_);
    const std::vector<Uuid> one{id_of(1)};
    const auto request = recorder.sending(one);
    recorder.accepted(request, std::vector<AnsweredPlace>{{1234, {}, hash_of(1)}},
                      Receipt{1234, hash_of(1)});
  }
  const auto size = std::filesystem::file_size(file_);
  for (auto cut = size - 2; cut > size - 120; --cut) {
    std::filesystem::resize_file(file_, cut);
    const Journal journal = load();
    ASSERT_EQ(journal.size(), 1U);
    EXPECT_EQ(journal[0].outcome, Outcome::unanswered) << cut;
  }
}

TEST_F(AppendRecorderTest, ABrokenLineInTheMiddleIsNotAccepted) {
  std::ofstream(file_) << "S 1 nonsense ;\nR 1 ;\n";
  Journal journal;
  EXPECT_FALSE(load_journal(file_, journal));
  EXPECT_FALSE(load_journal(dir_ / "missing", journal));
}

TEST_F(AppendRecorderTest, ThreadsDoNotMixTheirLines) {
  {
    AppendRecorder recorder(file_);
    std::vector<std::jthread> threads;
    for (std::uint8_t t = 1; t <= 8; ++t) {
      threads.emplace_back([&recorder, t] {
        const std::vector<Uuid> tokens(20, id_of(t));
        for (int i = 0; i < 200; ++i)
          recorder.refused(recorder.sending(tokens));
      });
    }
  }
  const Journal journal = load();
  ASSERT_EQ(journal.size(), 1600U);
  for (const auto& each : journal) {
    EXPECT_EQ(each.tokens.size(), 20U);
    EXPECT_EQ(each.outcome, Outcome::refused);
  }
}

}  // namespace
}  // namespace annals::test
