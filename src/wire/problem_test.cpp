#include "wire/problem.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "annals/digest.hpp"
#include "annals/uuid.hpp"

namespace annals::wire {
namespace {

std::vector<Error> one_of_each() {
  std::vector<Error> errors;
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code) {
    errors.push_back(Error{static_cast<ErrorCode>(code), "what happened", {}, {}});
  }
  const auto add = [&](ErrorCode code, auto details) {
    errors.push_back(Error{code, "what happened", std::move(details), {}});
  };
  const Uuid id = *parse_uuid("0190a000-0000-7000-8000-000000000001");
  add(ErrorCode::invalid_event, InvalidEvent{{{0, "/type", "pattern", "must match"},
                                              {2, "/payload/a/0", "null", "is null"}}});
  add(ErrorCode::not_allowed, NotAllowed{"c.d", {"b.*", "a.b"}});
  add(ErrorCode::version_conflict,
      VersionConflict{{{"order/1", 3, Digest{0xAB}}, {"order/2", 0, std::nullopt}}});
  add(ErrorCode::partly_known, KnownEvents{{{0, id, 7}, {4, id, 0}}});
  add(ErrorCode::resync_required, Resync{"expired", 11, 20, 6, 10});
  add(ErrorCode::resync_required, Resync{"ahead", 1, 20, 0, 0});
  add(ErrorCode::too_large, LimitExceeded{"request_max_bytes", 8388608});
  return errors;
}

/// The documents of every code and of every kind of details, one a line.
std::string every_document() {
  std::string out;
  for (const Error& error : one_of_each())
    out += problem_json(error) + '\n';
  for (int code = 0; code <= static_cast<int>(HttpCode::not_reached); ++code) {
    out += problem_json(static_cast<HttpCode>(code), "what happened") + '\n';
  }
  return out;
}

TEST(Problem, DocumentsAreAsTheGoldenFileSays) {
  const char* root = std::getenv("ANNALS_SOURCE_DIR");
  ASSERT_NE(root, nullptr) << "run by ctest, or set ANNALS_SOURCE_DIR to the tree";
  std::ifstream file{std::string{root} + "/src/wire/testdata/problems.ndjson"};
  std::ostringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(every_document(), golden.str());
}

TEST(Problem, EveryDocumentIsOneLineOfJsonWithItsStatus) {
  std::istringstream lines{every_document()};
  std::string line;
  std::size_t count = 0;
  while (std::getline(lines, line)) {
    const auto parsed = nlohmann::json::parse(line);
    EXPECT_EQ(parsed["type"], "/problems/" + parsed["code"].get<std::string>());
    EXPECT_GE(parsed["status"], 400);
    ++count;
  }
  EXPECT_EQ(count, 26U + 7U + 7U);
}

TEST(Problem, AnyBytesInADetailStayJson) {
  const Error error{
      ErrorCode::unknown_parameter, "no \xff\"\x01\xed\xa0\x80 \xf0\x9f\x99\x82", {}, {}};
  const auto parsed = nlohmann::json::parse(problem_json(error));
  EXPECT_EQ(parsed["detail"],
            "no \xEF\xBF\xBD\"\x01\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD \xf0\x9f\x99\x82");
}

TEST(Problem, StatusFollowsTheTable) {
  EXPECT_EQ(http_status(ErrorCode::invalid_cursor), 400);
  EXPECT_EQ(http_status(ErrorCode::not_authenticated), 401);
  EXPECT_EQ(http_status(ErrorCode::not_allowed), 403);
  EXPECT_EQ(http_status(ErrorCode::idempotency_mismatch), 422);
  EXPECT_EQ(http_status(ErrorCode::client_msg_id_conflict), 409);
  EXPECT_EQ(http_status(ErrorCode::resync_required), 410);
  EXPECT_EQ(http_status(ErrorCode::too_large), 413);
  EXPECT_EQ(http_status(ErrorCode::rate_limited), 429);
  EXPECT_EQ(http_status(ErrorCode::frozen), 503);
  EXPECT_EQ(http_status(ErrorCode::commit_unknown), 503);
  EXPECT_EQ(http_status(ErrorCode::store_full), 507);
  EXPECT_EQ(http_status(ErrorCode::store_corrupt), 500);
}

}  // namespace
}  // namespace annals::wire
