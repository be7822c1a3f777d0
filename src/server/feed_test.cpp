#include "server/feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "testing/random.hpp"
#include "testing/seed.hpp"

namespace annals::server {
namespace {

using testing::ElementsAre;

Uuid key(std::uint8_t number) {
  Uuid id;
  id.bytes[0] = 1;
  id.bytes[15] = number;
  return id;
}

Record record(std::uint64_t seq, std::uint8_t by = 1, std::size_t payload_bytes = 2) {
  Record record;
  record.header.seq = seq;
  record.header.id = key(9);
  record.header.type = "a.b";
  record.header.resource.kind = "event";
  record.header.receive_action = "read";
  record.header.key_id = key(by);
  record.payload = Part{"{" + std::string(payload_bytes - 2, ' ') + "}", {}};
  return record;
}

std::vector<Record> records(std::uint64_t from, std::uint64_t to) {
  std::vector<Record> out;
  for (std::uint64_t seq = from; seq <= to; ++seq) {
    out.push_back(record(seq, static_cast<std::uint8_t>(1 + seq % 2)));
  }
  return out;
}

FrameRunPtr run(const std::vector<Record>& records, std::size_t max_bytes = 1'000'000) {
  auto encoded =
      FrameRun::encode(records, records.front().header.seq - 1, {max_bytes, true}, nullptr);
  EXPECT_TRUE(encoded);
  return *encoded;
}

constexpr Viewer all{true, {}};
const Viewer odd{false, key(2)};

std::string text_of(const SendQueue& queue) {
  std::string out;
  for (const Slice& slice : queue.slices())
    out += slice.bytes;
  return out;
}

/// What was queued: ids of events, and names of control frames with their ids.
std::vector<std::string> drain(SendQueue& queue) {
  std::vector<std::string> out;
  std::istringstream lines{text_of(queue)};
  std::string name;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("event: ")) name = line.substr(7) + ' ';
    if (line.starts_with("id: ")) out.push_back(std::exchange(name, "") + line.substr(4));
    if (line.starts_with(": ")) out.push_back(line);
  }
  queue.consume(queue.bytes());
  return out;
}

std::vector<std::string> ids(std::uint64_t from, std::uint64_t to, std::uint64_t step = 1) {
  std::vector<std::string> out;
  for (std::uint64_t seq = from; seq <= to; seq += step)
    out.push_back(std::to_string(seq));
  return out;
}

class FeedTest : public testing::Test {
 public:
  FrameCache cache{1'000'000};
  SendQueue queue{100'000};
};

TEST_F(FeedTest, AtTheHeadSaysSoOnceAndWaits) {
  cache.advance(5);
  Feed feed{all, {5, {}}, 5, 1000};
  EXPECT_FALSE(feed.fill(cache, queue));
  EXPECT_THAT(drain(queue), ElementsAre("caught_up 5"));
  EXPECT_FALSE(feed.fill(cache, queue));
  EXPECT_TRUE(queue.empty());
}

TEST_F(FeedTest, HasNotCaughtUpBeforeTheHeadItWasOpenedAt) {
  cache.advance(3);
  Feed feed{all, {4, {}}, 5, 1000};
  EXPECT_FALSE(feed.fill(cache, queue));
  EXPECT_TRUE(queue.empty()) << "the tail is behind";
  cache.push(run(records(4, 5)));
  feed.fill(cache, queue);
  EXPECT_THAT(drain(queue), ElementsAre("5", "caught_up 5"));
}

TEST_F(FeedTest, TakesFromTheCacheWithoutCopying) {
  const auto frames = run(records(1, 3));
  cache.push(frames);
  Feed feed{all, {1, {}}, 3, 1000};
  EXPECT_FALSE(feed.fill(cache, queue));
  EXPECT_EQ(queue.slices().front().owner, frames);
  EXPECT_THAT(drain(queue), ElementsAre("2", "3", "caught_up 3"));
}

TEST_F(FeedTest, BehindTheCacheAsksForAPage) {
  cache.advance(5);
  Feed feed{all, {0, {}}, 5, 1000};
  EXPECT_TRUE(feed.fill(cache, queue));
  feed.take({run(records(1, 3)), 1, 5}, queue);
  EXPECT_TRUE(feed.fill(cache, queue));
  EXPECT_THAT(drain(queue), ElementsAre("1", "2", "3"));
  feed.take({run(records(4, 5)), 1, 5}, queue);
  EXPECT_FALSE(feed.fill(cache, queue));
  EXPECT_THAT(drain(queue), ElementsAre("4", "5", "caught_up 5"));
}

TEST_F(FeedTest, NeverQueuesMoreThanThereIsRoom) {
  cache.push(run(records(1, 200)));
  SendQueue small{2000};
  Feed feed{all, {0, {}}, 200, 1000};
  std::vector<std::string> seen;
  for (int i = 0; i < 1000 && seen.size() < 201; ++i) {
    feed.fill(cache, small);
    EXPECT_LE(small.bytes(), small.max_bytes());
    for (auto& id : drain(small))
      seen.push_back(std::move(id));
  }
  auto expected = ids(1, 200);
  expected.emplace_back("caught_up 200");
  EXPECT_EQ(seen, expected);
}

TEST_F(FeedTest, AnEventLargerThanTheQueuePassesAlone) {
  cache.push(run({record(1), record(2, 1, 5000), record(3)}));
  SendQueue small{1000};
  Feed feed{all, {0, {}}, 3, 1000};
  feed.fill(cache, small);
  EXPECT_THAT(drain(small), ElementsAre("1"));
  feed.fill(cache, small);
  EXPECT_THAT(drain(small), ElementsAre("2"));
  feed.fill(cache, small);
  EXPECT_THAT(drain(small), ElementsAre("3", "caught_up 3"));
}

TEST_F(FeedTest, AFilterShowsItsOwnAndMovesByCheckpoints) {
  cache.push(run(records(1, 6)));
  Feed feed{odd, {0, {}}, 6, 1000};
  feed.fill(cache, queue);
  EXPECT_THAT(drain(queue), ElementsAre("1", "3", "5", "caught_up 6"));

  Feed stranger{Viewer{false, key(7)}, {0, {}}, 25, 10};
  std::vector<Record> more = records(7, 25);
  cache.push(run(more));
  stranger.fill(cache, queue);
  EXPECT_THAT(drain(queue), ElementsAre("checkpoint 10", "checkpoint 20", "caught_up 25"));
  stranger.heartbeat(queue);
  EXPECT_THAT(drain(queue), ElementsAre(": keepalive"));
  cache.push(run(records(26, 28)));
  stranger.fill(cache, queue);
  EXPECT_TRUE(queue.empty());
  stranger.heartbeat(queue);
  EXPECT_THAT(drain(queue), ElementsAre("checkpoint 28"));
}

TEST_F(FeedTest, APageWithoutAMatchCountsAsScanned) {
  cache.advance(50);
  Feed feed{Viewer{false, key(7)}, {0, {}}, 50, 20};
  EXPECT_TRUE(feed.fill(cache, queue));
  const Viewer viewer = feed.viewer();
  const auto page = FrameRun::encode(records(1, 50), 0, {10'000, true}, &viewer);
  feed.take({*page, 1, 50}, queue);
  EXPECT_FALSE(feed.fill(cache, queue));
  EXPECT_THAT(drain(queue), ElementsAre("checkpoint 20", "checkpoint 40", "caught_up 50"));
}

TEST_F(FeedTest, AResyncComesFirst) {
  cache.push(run(records(1, 3)));
  Feed feed{all, {3, Resync{"ahead", 1, 3, 0, 0}}, 3, 1000};
  feed.fill(cache, queue);
  EXPECT_THAT(drain(queue), ElementsAre("resync 3", "caught_up 3"));
}

TEST_F(FeedTest, RetentionThatOvertakesIsTold) {
  cache.advance(20);
  Feed feed{all, {5, {}}, 20, 1000};
  EXPECT_TRUE(feed.fill(cache, queue));
  const auto page = FrameRun::encode(records(11, 20), 5, {100'000, true}, nullptr);
  feed.take({*page, 11, 20}, queue);
  EXPECT_THAT(text_of(queue), testing::HasSubstr(R"("lost_from":6,"lost_to":10)"));
  feed.fill(cache, queue);
  auto expected = ids(11, 20);
  expected.insert(expected.begin(), "resync 10");
  expected.emplace_back("caught_up 20");
  EXPECT_EQ(drain(queue), expected);
}

TEST(SendQueueTest, KeepsTheFrameThatIsBegun) {
  SendQueue queue{1000};
  queue.push("id: 1\ndata: {}\n\nid: 2\ndata: {}\n\n");
  queue.push("id: 3\ndata: {}\n\n");
  queue.consume(3);
  queue.keep_begun();
  EXPECT_EQ(text_of(queue), " 1\ndata: {}\n\n");
  EXPECT_EQ(queue.bytes(), text_of(queue).size());
  queue.consume(queue.bytes());
  queue.push("id: 4\ndata: {}\n\n");
  queue.keep_begun();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.bytes(), 0U);
}

TEST(SendQueueTest, NeverDropsTheHead) {
  SendQueue queue{1000};
  queue.push_head("HTTP/1.1 200 OK\r\n\r\nretry: 1000\n: annals\n\n");
  queue.push("id: 3\ndata: {}\n\n");
  queue.keep_begun();
  EXPECT_EQ(text_of(queue), "HTTP/1.1 200 OK\r\n\r\nretry: 1000\n: annals\n\n");
}

TEST(FrameCacheTest, IsBoundedAndContiguous) {
  const auto first = run(records(1, 10));
  FrameCache cache{first->bytes() * 2 + 100};
  cache.push(first);
  cache.push(run(records(11, 20)));
  EXPECT_EQ(cache.find(0), first);
  EXPECT_NE(cache.find(10), first);
  EXPECT_EQ(cache.find(20), nullptr);
  cache.push(run(records(21, 30)));
  EXPECT_EQ(cache.find(0), nullptr) << "dropped from the front";
  EXPECT_NE(cache.find(15), nullptr);
  cache.push(run(records(41, 50)));
  EXPECT_EQ(cache.find(25), nullptr) << "what is between was not encoded";
  EXPECT_EQ(cache.head(), 50U);
  cache.advance(60);
  EXPECT_EQ(cache.find(45), nullptr);
  EXPECT_EQ(cache.head(), 60U);
  cache.advance(55);
  EXPECT_EQ(cache.head(), 60U);
}

TEST(FrameRunTest, RenderingsDifferOnlyWhereTheyMust) {
  std::vector<Record> some = records(1, 3);
  const auto same = run(some);
  EXPECT_EQ(same->take(0, odd, {10'000, false}, 99).bytes,
            same->take(0, all, {10'000, false}, 1)
                .bytes.substr(0, same->take(0, odd, {10'000, false}, 99).bytes.size()));
  some[2].meta =
      Part{R"({"trace_context":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})", {}};
  const auto differing = run(some);
  const auto privileged = differing->take(0, all, {10'000, false}, 99).bytes;
  EXPECT_THAT(std::string{privileged}, testing::HasSubstr("trace_context"));
  std::string own;
  std::uint64_t cursor = 0;
  while (cursor < 3) {
    const auto taken = differing->take(cursor, odd, {10'000, false}, 99);
    own += taken.bytes;
    cursor = taken.last;
  }
  EXPECT_THAT(own, testing::Not(testing::HasSubstr("trace_context")));
  EXPECT_THAT(own, testing::HasSubstr("id: 3"));
}

/// However a reader is fed, what it gets is what it may see, in order, once.
TEST(FeedProperty, TheUnionOfWhatArrivesIsExact) {
  test::Random random{test::seed()};
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t total = random.between(1, 120);
    const std::vector<Record> log = records(1, total);
    const Viewer viewer = random.chance(50) ? all : odd;
    FrameCache cache{random.between(1, 20'000)};
    SendQueue queue{random.between(700, 3000)};
    std::uint64_t published = random.below(total + 1);
    cache.advance(published);
    const std::uint64_t start = random.below(published + 1);
    Feed feed{viewer, {start, {}}, published, random.between(1, 40)};
    std::vector<std::string> seen;
    for (int step = 0; step < 3000; ++step) {
      if (published < total && random.chance(30)) {
        const std::uint64_t to = random.between(published + 1, total);
        if (random.chance(20)) {
          cache.advance(to);
        } else {
          cache.push(run({log.begin() + static_cast<std::ptrdiff_t>(published),
                          log.begin() + static_cast<std::ptrdiff_t>(to)}));
        }
        published = to;
      }
      if (feed.fill(cache, queue)) {
        const std::uint64_t after = feed.cursor();
        const std::uint64_t to = std::min(published, after + random.between(1, 30));
        const auto page = FrameRun::encode(std::span{log}.subspan(after, to - after), after,
                                           {queue.room(), queue.empty()}, &viewer);
        feed.take({*page, 1, published}, queue);
      }
      if (random.chance(60)) {
        for (auto& id : drain(queue)) {
          if (id.find(' ') == std::string::npos) seen.push_back(std::move(id));
        }
      }
    }
    const std::uint64_t first = viewer.all || start % 2 == 0 ? start + 1 : start + 2;
    ASSERT_EQ(seen, ids(first, total, viewer.all ? 1 : 2)) << "round " << round;
  }
}

}  // namespace
}  // namespace annals::server
