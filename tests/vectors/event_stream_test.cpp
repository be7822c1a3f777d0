#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/vectors/event_stream_vectors.hpp"
#include "wire/sse.hpp"

// The bytes clients are tested against are the bytes that are sent: tests/vectors/README.md.

namespace annals::wire {
namespace {

std::string emit(const nlohmann::json& call) {
  const auto number = [&](const char* name) { return call.at(name).get<std::uint64_t>(); };
  const std::string frame = call.at("frame");
  std::string out;
  if (frame == "opening") {
    append_sse_opening(out, number("retry_ms"));
  } else if (frame == "event") {
    begin_sse_event(out, number("seq"));
    out += call.at("data").get<std::string>();
    end_sse_event(out);
  } else if (frame == "keepalive") {
    append_sse_keepalive(out);
  } else if (frame == "checkpoint") {
    append_sse_checkpoint(out, number("scanned"));
  } else if (frame == "caught_up") {
    append_sse_caught_up(out, number("head"));
  } else if (frame == "resync") {
    append_sse_resync(out,
                      {call.at("reason").get<std::string>(), number("oldest"), number("head"),
                       number("lost_from"), number("lost_to")},
                      number("rebase"));
  } else if (frame == "revoked") {
    append_sse_revoked(out, call.at("reason").get<std::string>());
  } else if (frame == "expiring") {
    append_sse_expiring(out, parse_timestamp(call.at("expires_at").get<std::string>()).value());
  }
  return out;
}

TEST(EventStreamVectors, TheServerWritesWhatClientsAreTestedWith) {
  const auto emitted = test::event_stream_vectors().at("emitted");
  EXPECT_GE(emitted.size(), 10U);
  for (const auto& entry : emitted) {
    EXPECT_EQ(emit(entry.at("call")), entry.at("text").get<std::string>()) << entry.at("name");
  }
}

}  // namespace
}  // namespace annals::wire
