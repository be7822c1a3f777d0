#include "testing/event_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace annals::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

std::string event(int seq) {
  const auto text = std::to_string(seq);
  return "id: " + text + "\ndata: {\"seq\":" + text + ",\"type\":\"a.b\"}\n\n";
}

class EventSourceTest : public ::testing::Test {
 protected:
  EventSourceTest() { (void)source_.request("/"); }

  bool take(std::string_view bytes) {
    return source_.take(bytes, [this](std::uint64_t seq) { seqs_.push_back(seq); });
  }

  EventSource source_;
  std::vector<std::uint64_t> seqs_;
};

TEST_F(EventSourceTest, ReadsEventsInAnyPieces) {
  const std::string all = std::string(head) + "retry: 1234\n: hello\n\n" + event(1) +
                          "event: caught_up\nid: 1\ndata: {\"head\":1}\n\n" + event(2);
  for (const char byte : all)
    ASSERT_TRUE(take({&byte, 1}));
  EXPECT_THAT(seqs_, ElementsAre(1U, 2U));
  EXPECT_EQ(source_.last(), 2U);
  EXPECT_EQ(source_.retry(), std::chrono::milliseconds{1234});
}

TEST_F(EventSourceTest, AsksWithTheIdOfTheLastWholeBlock) {
  EXPECT_THAT(source_.request("/x?after=0"), Not(HasSubstr("Last-Event-ID")));
  ASSERT_TRUE(take(std::string(head) + event(1) + "event: checkpoint\nid: 7\ndata: {}\n\nid: 8\n"));
  EXPECT_THAT(source_.request("/x"), HasSubstr("GET /x HTTP/1.1\r\n"));
  EXPECT_THAT(source_.request("/x"), HasSubstr("\r\nLast-Event-ID: 7\r\n"));
  EXPECT_FALSE(source_.open());
  ASSERT_TRUE(take(std::string(head) + event(2)));
  EXPECT_THAT(seqs_, ElementsAre(1U, 2U)) << "half a block of the connection before is gone";
}

TEST_F(EventSourceTest, SaysWhatIsWrong) {
  ASSERT_TRUE(take(std::string(head) + event(1)));
  EXPECT_FALSE(take(event(3)));
  EXPECT_EQ(source_.fault(), "event 3 after 1");
}

TEST_F(EventSourceTest, ARepeatIsWrong) {
  ASSERT_TRUE(take(std::string(head) + event(1)));
  EXPECT_FALSE(take(event(1)));
  EXPECT_EQ(source_.fault(), "event 1 after 1");
}

TEST_F(EventSourceTest, AnotherAnswerEndsIt) {
  EXPECT_FALSE(take("HTTP/1.1 503 Service Unavailable\r\n\r\n"));
  EXPECT_EQ(source_.fault(), "answered HTTP/1.1 503 Service Unavailable");
}

}  // namespace
}  // namespace annals::test
