#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "cli_test_case.hpp"

namespace annals::test {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CliRead : public CliTestCase {
 protected:
  void SetUp() override {
    std::string input;
    for (int i = 1; i <= 10; ++i) {
      input += R"({"type":")" + std::string(i % 2 == 0 ? "order.paid" : "note.made") +
               R"(","stream":"s)" + std::to_string(i % 3) + R"(","labels":{"n":")" +
               std::to_string(i) + R"("}})" + "\n";
    }
    out_of({"append"}, input);
  }

  std::vector<int> seqs(Words words) const {
    std::vector<int> out;
    for (const auto& event : json_of(words))
      out.push_back(event["seq"].get<int>());
    return out;
  }
};

TEST_F(CliRead, PagesAndOrders) {
  EXPECT_THAT(seqs({"read", "--after", "7"}), ElementsAre(8, 9, 10));
  EXPECT_THAT(seqs({"read", "--limit", "2"}), ElementsAre(1, 2));
  EXPECT_THAT(seqs({"read", "--last", "2"}), ElementsAre(9, 10));
  EXPECT_THAT(seqs({"read", "--order", "desc", "--limit", "2"}), ElementsAre(10, 9));
  EXPECT_THAT(seqs({"read", "--after", "10"}), IsEmpty());
  EXPECT_EQ(seqs({"read", "--all"}).size(), 10U);
  EXPECT_THAT(seqs({"read", "--last", "99"}).size(), 10U);
}

TEST_F(CliRead, FiltersOfTheApi) {
  EXPECT_THAT(seqs({"read", "--type", "order.*"}), ElementsAre(2, 4, 6, 8, 10));
  EXPECT_THAT(seqs({"read", "--type", "order.paid", "--stream", "s0"}), ElementsAre(6));
  EXPECT_THAT(seqs({"read", "--label", "n=4"}), ElementsAre(4));
  EXPECT_THAT(seqs({"read", "--filter", "label.n=4"}), ElementsAre(4));
  EXPECT_THAT(seqs({"read", "--type", "order.*", "--last", "2"}), ElementsAre(8, 10));
  EXPECT_THAT(seqs({"read", "--type", "order.*", "--limit", "2", "--order", "desc"}),
              ElementsAre(10, 8));
  EXPECT_THAT(seqs({"read", "--stream", "absent"}), IsEmpty());
}

TEST_F(CliRead, APositionMayBeATime) {
  const auto events = json_of({"read"});
  EXPECT_THAT(seqs({"read", "--from", "oldest", "--limit", "1"}), ElementsAre(1));
  EXPECT_THAT(seqs({"read", "--from", "latest"}), IsEmpty());
  EXPECT_THAT(seqs({"read", "--from", "2000-01-01T00:00:00Z", "--limit", "1"}), ElementsAre(1));
  EXPECT_THAT(seqs({"read", "--from", "2999-01-01T00:00:00Z"}), IsEmpty());
  // The first event recorded at that very time: events of one commit may share it.
  const auto time = events[4]["recorded_at"].get<std::string>();
  int first = 0;
  for (const auto& event : events) {
    if (first == 0 && event["recorded_at"].get<std::string>() >= time)
      first = event["seq"].get<int>();
  }
  EXPECT_EQ(seqs({"read", "--from", time}).front(), first);
}

TEST_F(CliRead, ACursorThatCannotBeContinuedIsAnError) {
  const auto ahead = annals({"read", "--after", "11"});
  EXPECT_EQ(code_of(ahead), 1);
  EXPECT_THAT(ahead.err, AllOf(HasSubstr("resync_required"), HasSubstr("head:        10")));
  const auto json = annals({"read", "--after", "11", "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.err)["code"], "resync_required");
}

TEST_F(CliRead, WrongUsageIsToldApart) {
  for (const auto& words : std::vector<Words>{{"read", "--after", "x"},
                                              {"read", "--after", "-1"},
                                              {"read", "--after", "1", "--from", "oldest"},
                                              {"read", "--from", "yesterday"},
                                              {"read", "--limit", "0"},
                                              {"read", "--order", "up"},
                                              {"read", "--since", "yesterday"},
                                              {"read", "--filter", "statuss=x"},
                                              {"read", "--label", "n"},
                                              {"read", "extra"}}) {
    EXPECT_EQ(code_of(annals(words)), 2) << ::testing::PrintToString(words);
  }
}

TEST_F(CliRead, AReaderThatGoesAwayIsNoError) {
  const auto finished = shell(
      "for i in $(seq 2000); do echo '{\"type\":\"a.b\",\"payload\":{\"text\":\"'$i"
      "'0123456789012345678901234567890123456789\"}}'; done | annals append >/dev/null"
      " && annals read --all | head -n 1");
  EXPECT_EQ(code_of(finished), 0) << finished.err;
  EXPECT_EQ(lines_of(finished.out).size(), 1U);
  EXPECT_THAT(finished.err, IsEmpty());
}

TEST_F(CliRead, AFullDiskIsAnError) {
  const auto finished = shell("annals read --all > /dev/full");
  EXPECT_EQ(code_of(finished), 1);
  EXPECT_THAT(finished.err, HasSubstr("No space left on device"));
}

TEST_F(CliRead, TailShowsTheNewest) {
  EXPECT_THAT(seqs({"tail", "-n", "3"}), ElementsAre(8, 9, 10));
  EXPECT_EQ(seqs({"tail"}).size(), 10U);
  EXPECT_THAT(seqs({"tail", "--after", "8"}), ElementsAre(9, 10));
  EXPECT_THAT(seqs({"tail", "-n", "1", "--type", "note.made"}), ElementsAre(9));
}

TEST_F(CliRead, TailFollowsWhatOtherProcessesAppendAndEndsCleanly) {
  Process tail(command({"tail", "-f", "--after", "9", "--type", "order.*"}));
  EXPECT_TRUE(tail.wait_for_line("\"seq\":10,", seconds(20)));
  out_of({"append", "--type", "note.made"});
  out_of({"append", "--type", "order.paid"});
  EXPECT_TRUE(tail.wait_for_line("\"seq\":12,", seconds(20)));
  tail.signal(SIGINT);
  const auto status = tail.wait(seconds(20));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 0);
  EXPECT_THAT(tail.output(), Not(HasSubstr("\"seq\":11,")));
  EXPECT_THAT(tail.output(Process::Stream::err), IsEmpty());
}

TEST_F(CliRead, TailEndsOnTermToo) {
  Process tail(command({"tail", "-f", "-n", "1"}));
  EXPECT_TRUE(tail.wait_for_line("\"seq\":10,", seconds(20)));
  tail.signal(SIGTERM);
  const auto status = tail.wait(seconds(20));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 0);
}

TEST_F(CliRead, StreamsAreListedByPrefix) {
  const auto all = json_of({"streams"});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0]["stream"], "s0");
  EXPECT_EQ(all[0]["version"], 3);
  EXPECT_EQ(all[1]["version"], 4);
  EXPECT_EQ(json_of({"streams", "s1"}).size(), 1U);
  EXPECT_THAT(json_of({"streams", "x"}), IsEmpty());
}

TEST_F(CliRead, OnATerminalThereIsATable) {
  out_of({"append", "--type", "note.made", "--payload", R"({"text":"\u001b]0;x\u0007"})",
          "--stream",
          "evil\x1b[31m\xc2\x9b"
          "31m"});
  environment["TERM"] = "xterm";
  environment["NO_COLOR"] = "";
  const auto coloured = shell("script -qec 'annals read --last 2' /dev/null");
  ASSERT_EQ(code_of(coloured), 0) << coloured.out;
  EXPECT_THAT(coloured.out, AllOf(HasSubstr("recorded (UTC)"), HasSubstr("note.made"),
                                  HasSubstr("evil?[31m?31m#1"), Not(HasSubstr("\"seq\"")),
                                  Not(HasSubstr("evil\x1b"))));
  environment["NO_COLOR"] = "1";
  const auto plain = shell("script -qec 'annals read --last 2' /dev/null");
  EXPECT_THAT(plain.out, AllOf(HasSubstr("recorded (UTC)"), Not(HasSubstr("\x1b["))));
  const auto json = shell("script -qec 'annals read --json --last 1' /dev/null");
  EXPECT_THAT(json.out, HasSubstr("{\"seq\":11,"));
  const auto more = shell("script -qec 'annals read --limit 2' /dev/null");
  EXPECT_THAT(more.out, HasSubstr("there is more: add --after 2, or --all"));
}

}  // namespace
}  // namespace annals::test
