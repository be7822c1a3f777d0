#include "client/stream_order.hpp"

#include <gtest/gtest.h>

#include <string>

namespace annals::client {
namespace {

Frame event(std::uint64_t seq) {
  const std::string number = std::to_string(seq);
  return {"message",
          R"({"seq":)" + number +
              R"(,"id":"0190a000-0000-7000-8000-000000000001","type":"a.b","payload":{}})",
          number};
}

Frame control(std::string name, std::string data, std::string id) {
  return {std::move(name), std::move(data), std::move(id)};
}

/// Takes a frame; its message, or why there is none.
Result<std::optional<FollowMessage>> take(StreamOrder& order, const Frame& frame) {
  std::deque<FollowMessage> messages;
  if (auto taken = order.take(frame, messages); !taken) return std::unexpected(taken.error());
  EXPECT_LE(messages.size(), 1U);
  std::optional<FollowMessage> message;
  if (!messages.empty()) message.emplace(std::move(messages.front()));
  return message;
}

TEST(StreamOrder, EventsComeOnceAndInOrder) {
  StreamOrder order(4);
  order.connected(false);
  const auto first = take(order, event(5));
  ASSERT_TRUE(first);
  EXPECT_EQ(std::get<Envelope>(**first).seq, 5U);
  EXPECT_TRUE(take(order, event(9))) << "a filtered stream leaves numbers out";
  EXPECT_EQ(order.received(), 9U);
  for (const std::uint64_t seq : {9, 8, 1}) {
    const auto again = take(order, event(seq));
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, ErrorCode::store_corrupt);
  }
}

TEST(StreamOrder, ACompleteStreamHasNoHole) {
  StreamOrder order(4);
  order.connected(true);
  EXPECT_TRUE(take(order, event(5)));
  const auto hole = take(order, event(7));
  ASSERT_FALSE(hole);
  EXPECT_EQ(hole.error().code, ErrorCode::store_corrupt);
}

TEST(StreamOrder, ACompleteStreamIsNotCaughtUpBeforeItsHead) {
  StreamOrder order(4);
  order.connected(true);
  EXPECT_TRUE(take(order, control("caught_up", R"({"head":4})", "4")));
  const auto missing = take(order, control("caught_up", R"({"head":5})", "5"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::store_corrupt);
}

TEST(StreamOrder, ACheckpointExplainsNumbersThatWereNeverGivenOut) {
  StreamOrder order(4);
  order.connected(true);
  const auto checkpoint = take(order, control("checkpoint", R"({"scanned":6})", "6"));
  ASSERT_TRUE(checkpoint);
  EXPECT_EQ(std::get<Checkpoint>(**checkpoint).scanned, 6U);
  EXPECT_TRUE(take(order, event(7)));
}

TEST(StreamOrder, AResyncMovesThePositionEitherWay) {
  StreamOrder order(4);
  order.connected(true);
  const auto resynced = take(
      order,
      control("resync", R"({"reason":"expired","oldest":11,"head":20,"lost_from":5,"lost_to":10})",
              "10"));
  ASSERT_TRUE(resynced);
  const auto& told = std::get<Resynced>(**resynced);
  EXPECT_EQ(told.resync, (Resync{"expired", 11, 20, 5, 10}));
  EXPECT_EQ(told.after, 10U);
  EXPECT_TRUE(take(order, event(11)));
  EXPECT_TRUE(take(order, control("resync", R"({"reason":"ahead","oldest":1,"head":3})", "3")));
  EXPECT_TRUE(take(order, event(4)));
}

TEST(StreamOrder, AChangedKeyIsNoEnd) {
  StreamOrder order(4);
  const auto changed = take(order, control("revoked", R"({"reason":"changed"})", ""));
  ASSERT_TRUE(changed);
  EXPECT_FALSE(*changed);
}

TEST(StreamOrder, RevokedIsToldAndNamesOfLaterServersArePassedOver) {
  StreamOrder order(4);
  const auto revoked = take(order, control("revoked", R"({"reason":"revoked"})", ""));
  ASSERT_TRUE(revoked);
  EXPECT_TRUE(std::holds_alternative<Revoked>(**revoked));
  const auto unknown = take(order, control("moon", "phase", "9"));
  ASSERT_TRUE(unknown);
  EXPECT_FALSE(*unknown);
  EXPECT_EQ(order.received(), 4U);
}

TEST(StreamOrder, FramesOfAnotherFormAreErrors) {
  for (const Frame& frame :
       {Frame{"message", "{}", "5"}, Frame{"message", event(5).data, "6"},
        Frame{"message", event(5).data, ""}, Frame{"message", "hello", "5"},
        control("caught_up", "{}", "5"), control("caught_up", R"({"head":"5"})", "5"),
        control("checkpoint", "5", "5"), control("resync", R"({"oldest":1})", "5"),
        control("resync", R"({"reason":"ahead","oldest":1,"head":3})", "x")}) {
    StreamOrder order(4);
    const auto taken = take(order, frame);
    ASSERT_FALSE(taken) << frame.type << frame.data;
    EXPECT_EQ(taken.error().code, ErrorCode::invalid_request);
    EXPECT_EQ(order.received(), 4U);
  }
}

}  // namespace
}  // namespace annals::client
