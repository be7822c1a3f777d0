#include "server/feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "core/canonical.hpp"
#include "core/filter.hpp"
#include "testing/random.hpp"
#include "testing/seed.hpp"
#include "wire/cloud_event_writer.hpp"

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
  auto encoded = FrameRun::encode(records, records.front().header.seq - 1, {max_bytes, true});
  EXPECT_TRUE(encoded);
  return *encoded;
}

/// Sees what the key of this number appended.
Selection own(std::uint8_t number) {
  return {{false, {{ReadGrant::own()}, key(number), {}}}, {}};
}

const Selection all{{true, {}}, {}};
const Selection odd = own(2);

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
  feed.take({run(records(1, 3)), 3, 1, 5}, queue);
  EXPECT_TRUE(feed.fill(cache, queue));
  EXPECT_THAT(drain(queue), ElementsAre("1", "2", "3"));
  feed.take({run(records(4, 5)), 2, 1, 5}, queue);
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

  Feed stranger{own(7), {0, {}}, 25, 10};
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

TEST_F(FeedTest, AnAudienceDecidesTheSameInTheCacheAndInAPage) {
  std::vector<Record> log = records(1, 4);
  for (Record& record : log) {
    record.header.is_private = true;
    record.header.receive_action = "self";
    Meta meta;
    meta.audience = record.header.seq % 2 == 0 ? "user/1" : "user/2";
    record.meta = Part{core::meta_bytes(meta), {}};
  }
  log[3].meta.reset();  // erased: nobody's any more
  const Selection reader{{false, {{ReadGrant::own()}, key(7), "user/1"}}, {}};
  cache.push(run(log));
  Feed cached{reader, {0, {}}, 4, 1000};
  cached.fill(cache, queue);
  EXPECT_THAT(drain(queue), ElementsAre("2", "caught_up 4"));

  const auto page = FrameRun::encode_for({log, 0, 4}, {10'000, true}, reader);
  Feed paged{reader, {0, {}}, 4, 1000};
  paged.take({*page, 4, 1, 4}, queue);
  FrameCache empty{1000};
  empty.advance(4);
  paged.fill(empty, queue);
  EXPECT_THAT(drain(queue), ElementsAre("2", "caught_up 4"));
}

TEST_F(FeedTest, APageWithoutAMatchCountsAsScanned) {
  cache.advance(50);
  Feed feed{own(7), {0, {}}, 50, 20};
  EXPECT_TRUE(feed.fill(cache, queue));
  const auto all_records = records(1, 50);
  const auto page = FrameRun::encode_for({all_records, 0, 50}, {10'000, true}, feed.selection());
  feed.take({*page, 50, 1, 50}, queue);
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
  const auto page = FrameRun::encode(records(11, 20), 5, {100'000, true});
  feed.take({*page, 10, 11, 20}, queue);
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
  const auto own_frame = FrameRun::take(same, 0, odd, {10'000, false}, 99).slice.bytes;
  EXPECT_FALSE(own_frame.empty());
  EXPECT_EQ(
      own_frame,
      FrameRun::take(same, 0, all, {10'000, false}, 1).slice.bytes.substr(0, own_frame.size()));
  some[2].meta =
      Part{R"({"trace_context":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})", {}};
  const auto differing = run(some);
  const auto privileged = FrameRun::take(differing, 0, all, {10'000, false}, 99).slice.bytes;
  EXPECT_THAT(std::string{privileged}, testing::HasSubstr("trace_context"));
  std::string own;
  std::uint64_t cursor = 0;
  while (cursor < 3) {
    const auto taken = FrameRun::take(differing, cursor, odd, {10'000, false}, 99);
    own += taken.slice.bytes;
    cursor = taken.last;
  }
  EXPECT_THAT(own, testing::Not(testing::HasSubstr("trace_context")));
  EXPECT_THAT(own, testing::HasSubstr("id: 3"));
}

TEST(FrameRunTest, APayloadIsTheProducersObjectAlone) {
  std::vector<Record> some = records(1, 3);
  some[1].payload = Part{R"({"a":"}\n\n{","b":{}})", {}};
  some[2].payload.reset();
  const auto frames = run(some);
  Selection payloads = all;
  payloads.format = wire::Format::payload;
  const auto taken = FrameRun::take(frames, 0, payloads, {10'000, false}, 99);
  EXPECT_EQ(taken.slice.bytes,
            "id: 1\ndata: {}\n\nid: 2\ndata: {\"a\":\"}\\n\\n{\",\"b\":{}}\n\nid: 3\ndata: {}\n\n");
  EXPECT_EQ(taken.slice.events, 3U);
  EXPECT_EQ(taken.last, 3U);
  EXPECT_EQ(FrameRun::take(frames, 2, payloads, {20, false}, 99).slice.bytes, "id: 3\ndata: {}\n\n")
      << "bounds are those of what is sent";
}

TEST(FrameRunTest, CloudEventsAreEncodedOnceForAllWhoSendThem) {
  std::vector<Record> some = records(1, 3);
  some[2].payload.reset();
  some[2].redacted_at = some[2].header.recorded_at;
  const auto frames = run(some);
  Selection cloud_events = all;
  cloud_events.format = wire::Format::cloudevents;
  const auto taken = FrameRun::take(frames, 0, cloud_events, {10'000, false}, 99);
  std::string expected;
  for (const Record& record : some) {
    expected += "id: " + std::to_string(record.header.seq) + "\ndata: ";
    ASSERT_TRUE(wire::append_cloud_event(expected, record, wire::Rendering::privileged));
    expected += "\n\n";
  }
  EXPECT_EQ(taken.slice.bytes, expected);
  EXPECT_EQ(taken.slice.events, 3U);
  const auto other = FrameRun::take(frames, 1, cloud_events, {10'000, false}, 99);
  EXPECT_EQ(other.slice.owner, taken.slice.owner);
  EXPECT_TRUE(taken.slice.bytes.ends_with(other.slice.bytes));
  EXPECT_TRUE(FrameRun::take(frames, 1, cloud_events, {200, false}, 99).full)
      << "bounds are those of what is sent";
}

TEST(FrameRunTest, CloudEventsShowTracesToThePrivilegedOnly) {
  std::vector<Record> some = records(1, 2);
  for (Record& record : some)
    record.header.key_id = key(2);
  some[1].meta =
      Part{R"({"trace_context":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})", {}};
  const auto frames = run(some);
  const auto text_for = [&](Selection selection) {
    selection.format = wire::Format::cloudevents;
    return std::string{FrameRun::take(frames, 0, selection, {10'000, false}, 99).slice.bytes};
  };
  const std::string privileged = text_for(all);
  const std::string reader = text_for(odd);
  EXPECT_THAT(privileged, testing::HasSubstr("traceparent"));
  EXPECT_THAT(reader, testing::Not(testing::HasSubstr("traceparent")));
  EXPECT_THAT(reader, testing::HasSubstr("id: 2"));
}

/// However a reader is fed, what it gets is what it asked for and may see, in order, once.
class FeedProperty : public testing::Test {
 public:
  test::Random random{test::seed()};
  std::vector<Record> log;

  Selection selection() {
    Selection selection = random.chance(50) ? all : odd;
    Filter filter;
    if (random.chance(50)) filter.source = random.chance(50) ? "x" : "y";
    if (random.chance(30)) filter.labels["l"] = random.chance(50) ? "1" : "2";
    selection.narrowed = narrowed_by(std::move(filter));
    selection.format =
        random.pick({wire::Format::envelope, wire::Format::payload, wire::Format::cloudevents});
    return selection;
  }

  void fill(std::uint64_t total) {
    log = records(1, total);
    for (Record& record : log) {
      if (random.chance(70)) record.header.source = random.chance(50) ? "x" : "y";
      if (random.chance(60)) {
        record.meta =
            Part{random.chance(50) ? R"({"labels":{"l":"1"}})" : R"({"labels":{"l":"2"}})", {}};
      }
    }
  }

  static bool shown(const Selection& selection, const Record& record) {
    if (!selection.viewer.all && record.header.seq % 2 == 0) return false;
    const Filter& filter = selection.filter();
    if (filter.source && record.header.source != filter.source) return false;
    const auto label = filter.labels.find("l");
    return label == filter.labels.end() ||
           (record.meta && record.meta->bytes.find('"' + label->second + '"') != std::string::npos);
  }

  /// What the store answers: up to `limit` matches behind `after`, up to `last`.
  StorePage page(const Selection& selection, std::uint64_t after, std::uint64_t last,
                 const SendQueue& queue) {
    const std::size_t limit = random.between(1, 10);
    const std::uint64_t to = std::min(last, after + random.between(1, 30));
    std::vector<Record> found;
    std::uint64_t scanned = after;
    while (scanned < to && found.size() < limit) {
      const Record& record = log[scanned++];
      if (core::matches(selection.filter(), record)) found.push_back(record);
    }
    const auto run =
        FrameRun::encode_for({found, after, scanned}, {queue.room(), queue.empty()}, selection);
    EXPECT_TRUE(run);
    return {*run, found.size(), 1, last};
  }
};

TEST_F(FeedProperty, TheUnionOfWhatArrivesIsExact) {
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t total = random.between(1, 120);
    fill(total);
    const Selection wanted = selection();
    FrameCache cache{random.between(1, 100'000)};
    SendQueue queue{random.between(700, 3000)};
    std::uint64_t published = random.below(total + 1);
    cache.advance(published);
    const std::uint64_t start = random.below(published + 1);
    Feed feed{wanted, {start, {}}, published, random.between(1, 40)};
    std::vector<std::string> seen;
    std::uint64_t last_id = start;
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
        feed.take(page(wanted, feed.cursor(), published, queue), queue);
      }
      if (random.chance(5)) feed.heartbeat(queue);
      if (random.chance(60)) {
        for (auto& id : drain(queue)) {
          if (id.starts_with(':')) continue;
          const std::uint64_t number = std::stoull(id.substr(id.rfind(' ') + 1));
          ASSERT_LE(last_id, number) << "a position never goes back";
          ASSERT_LE(number, published) << "nor ahead of what was scanned";
          last_id = number;
          if (id.find(' ') == std::string::npos) seen.push_back(std::move(id));
        }
      }
    }
    std::vector<std::string> expected;
    for (const Record& record : log) {
      if (record.header.seq > start && shown(wanted, record)) {
        expected.push_back(std::to_string(record.header.seq));
      }
    }
    ASSERT_EQ(seen, expected) << "round " << round;
  }
}

}  // namespace
}  // namespace annals::server
