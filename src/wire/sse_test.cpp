#include "wire/sse.hpp"

#include <gtest/gtest.h>

#include <string>

namespace annals::wire {
namespace {

TEST(Sse, FramesAreExact) {
  std::string out;
  append_sse_opening(out, 1234);
  EXPECT_EQ(std::exchange(out, {}), "retry: 1234\n: annals\n\n");
  begin_sse_event(out, 42);
  out += R"({"seq":42})";
  end_sse_event(out);
  EXPECT_EQ(std::exchange(out, {}), "id: 42\ndata: {\"seq\":42}\n\n");
  append_sse_keepalive(out);
  EXPECT_EQ(std::exchange(out, {}), ": keepalive\n\n");
  append_sse_checkpoint(out, 1000);
  EXPECT_EQ(std::exchange(out, {}), "event: checkpoint\nid: 1000\ndata: {\"scanned\":1000}\n\n");
  append_sse_caught_up(out, 9);
  EXPECT_EQ(std::exchange(out, {}), "event: caught_up\nid: 9\ndata: {\"head\":9}\n\n");
  append_sse_revoked(out, "revoked");
  EXPECT_EQ(std::exchange(out, {}), "event: revoked\ndata: {\"reason\":\"revoked\"}\n\n");
  append_sse_revoked(out, "expired");
  EXPECT_EQ(std::exchange(out, {}), "event: revoked\ndata: {\"reason\":\"expired\"}\n\n");
  append_sse_expiring(out, *parse_timestamp("2026-01-02T03:04:05.6Z"));
  EXPECT_EQ(std::exchange(out, {}),
            "event: expiring\ndata: {\"expires_at\":\"2026-01-02T03:04:05.600000Z\"}\n\n");
}

TEST(Sse, AResyncSaysWhatIsLostAndRebases) {
  std::string out;
  append_sse_resync(out, {"expired", 11, 20, 6, 10}, 10);
  EXPECT_EQ(std::exchange(out, {}),
            "event: resync\nid: 10\ndata: {\"reason\":\"expired\",\"oldest\":11,\"head\":20,"
            "\"lost_from\":6,\"lost_to\":10}\n\n");
  append_sse_resync(out, {"malformed", 1, 20, 0, 0}, 20);
  EXPECT_EQ(std::exchange(out, {}),
            "event: resync\nid: 20\ndata: {\"reason\":\"malformed\",\"oldest\":1,\"head\":20}\n\n");
}

TEST(Sse, TheOverheadOfAFrameIsBounded) {
  std::string out;
  begin_sse_event(out, (std::uint64_t{1} << 53) - 1);
  end_sse_event(out);
  EXPECT_LE(out.size(), sse_frame_overhead);
}

}  // namespace
}  // namespace annals::wire
