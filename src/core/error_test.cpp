#include "annals/error.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace annals {
namespace {

/// The table that callers rely on: kind, then its codes.
const std::map<std::string, std::set<std::string>> expected = {
    {"invalid",
     {"invalid_event", "invalid_request", "invalid_cursor", "invalid_filter", "unknown_parameter",
      "unit_open"}},
    {"denied", {"not_authenticated", "not_allowed"}},
    {"not_found", {"not_found"}},
    {"conflict",
     {"version_conflict", "id_conflict", "partly_known", "client_msg_id_conflict",
      "blob_kind_conflict", "idempotency_mismatch"}},
    {"resync_required", {"resync_required"}},
    {"too_large", {"too_large"}},
    {"busy", {"rate_limited", "busy", "frozen", "too_many_subscribers"}},
    {"unavailable", {"store_unavailable", "commit_unknown"}},
    {"full", {"store_full"}},
    {"corrupt", {"store_corrupt"}},
    {"internal", {"internal"}},
};

TEST(ErrorCode, EveryCodeHasItsNameAndKind) {
  std::map<std::string, std::set<std::string>> actual;
  for (int i = 0; i <= static_cast<int>(ErrorCode::internal); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    const auto inserted =
        actual[std::string(to_string(kind_of(code)))].insert(std::string(to_string(code)));
    EXPECT_TRUE(inserted.second) << to_string(code) << " is the name of two codes";
  }
  EXPECT_EQ(actual, expected);
}

TEST(Error, KnowsItsKind) {
  EXPECT_EQ((Error{ErrorCode::frozen, "", {}, {}}).kind(), ErrorKind::busy);
}

}  // namespace
}  // namespace annals
