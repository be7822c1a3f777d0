#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "annals/verify.hpp"
#include "log/verify.hpp"
#include "log/verify/recorded_log.hpp"

namespace annals::log::test {

/// Memory that no test log fills.
inline constexpr std::size_t plenty = std::size_t{64} << 20U;

/// Verifies, expecting an answer.
inline VerifyReport run(RecordedLog& log, const VerifyOptions& options = {},
                        std::size_t memory = plenty, unsigned threads = 1) {
  auto report = verify(log, options, memory, {}, threads);
  EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().detail);
  return report.value_or(VerifyReport{});
}

/// Matches a finding by all but its hashes.
inline auto finding(const std::string& verdict, const std::string& what, const std::string& stream,
                    std::uint64_t seq) {
  using ::testing::AllOf;
  using ::testing::Field;
  return AllOf(Field("verdict", &Finding::verdict, verdict), Field("what", &Finding::what, what),
               Field("stream", &Finding::stream, stream), Field("seq", &Finding::seq, seq));
}

/// Matches a finding by its verdict.
inline auto verdict(const std::string& name) {
  return ::testing::Field("verdict", &Finding::verdict, name);
}

/// A hash of nothing.
inline Digest other_digest() {
  Digest digest{};
  digest.fill(7);
  return digest;
}

}  // namespace annals::log::test
