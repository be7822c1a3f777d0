#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "testing/resident_memory.hpp"
#include "testing/sanitized.hpp"
#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class Resume : public testing::TestWithParam<Backend> {};

TEST_P(Resume, OverAHundredThousandEventsWhileWritersRun) {
  constexpr std::uint64_t before = sanitized ? 10'000 : 100'000;
  RunningServer server{GetParam()};
  server.fill(before);
  std::jthread writer{[&](const std::stop_token& done) {
    while (!done.stop_requested())
      server.fill(20);
  }};
  SseClient stream{server.port(), "/v1/events/stream?after=0"};
  std::uint64_t last = 0;
  std::size_t memory = 0;
  std::size_t peak = 0;
  while (last < before + 100) {
    const auto frame = stream.next_frame();
    ASSERT_TRUE(frame);
    if (!frame->event.empty()) continue;
    ASSERT_EQ(frame->seq(), last + 1);
    last = frame->seq();
    if (last == before / 10) memory = resident_bytes();
    if (last % (before / 10) == 0) peak = std::max(peak, resident_bytes());
  }
  writer.request_stop();
  // The memory store itself grows with what the writers add meanwhile.
  if (memory_is_measurable && GetParam() == Backend::sqlite) {
    EXPECT_LT(peak, memory + std::size_t{64} * 1024 * 1024);
  }
}

TEST_P(Resume, NearTheHeadIsFastWhateverTheSizeOfTheLog) {
  constexpr std::uint64_t before = sanitized ? 10'000 : 100'000;
  RunningServer server{GetParam()};
  server.fill(before);
  auto best = milliseconds::max();
  // A neighbour may delay any one of them; reading what was before would delay them all.
  for (int i = 0; i < 50 && best >= milliseconds{50}; ++i) {
    const auto begun = steady_clock::now();
    SseClient stream{server.port(), "/v1/events/stream?after=" + std::to_string(before - 5)};
    EXPECT_EQ(stream.next_frame()->seq(), before - 4);
    best = std::min(best, std::chrono::duration_cast<milliseconds>(steady_clock::now() - begun));
  }
  EXPECT_LT(best, milliseconds{50});
}

INSTANTIATE_TEST_SUITE_P(Backends, Resume, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace annals::test
