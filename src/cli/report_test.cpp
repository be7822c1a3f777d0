#include "cli/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace annals::cli {
namespace {

using ::testing::ElementsAre;

Failure failure_of(Error error, ExitCode code = ExitCode::failed) {
  return {std::move(error), code, {}, {}};
}

TEST(Report, ViolationsStandInColumns) {
  Error error{ErrorCode::invalid_event,
              "2 violations",
              InvalidEvent{{{0, "/type", "pattern", "must match"}, {12, "/a", "null", "no null"}}},
              {}};
  EXPECT_EQ(failure_text(failure_of(error)),
            "error: 2 violations (invalid_event)\n"
            "  event 0   /type  must match (pattern)\n"
            "  event 12  /a     no null (null)\n");
}

TEST(Report, EveryKindOfDetailIsShown) {
  Digest hash{};
  EXPECT_THAT(detail_lines({ErrorCode::not_allowed, "", NotAllowed{"a.b", {"c.*", "d.e"}}, {}}),
              ElementsAre("refused type:  a.b", "allowed types: c.*, d.e"));
  EXPECT_THAT(
      detail_lines({ErrorCode::version_conflict,
                    "",
                    VersionConflict{{{"s", 3, hash}, {"t", 0, std::nullopt}}},
                    {}}),
      ElementsAre("stream s is at version 3, hash " + to_hex(hash), "stream t is at version 0"));
  const auto id = *parse_uuid("00000000-0000-0000-0000-000000000001");
  EXPECT_THAT(
      detail_lines({ErrorCode::partly_known, "", KnownEvents{{{1, id, 7}, {2, id, 0}}}, {}}),
      ElementsAre("event 1  id " + to_string(id) + "  stored as seq 7",
                  "event 2  id " + to_string(id)));
  EXPECT_THAT(detail_lines({ErrorCode::resync_required, "", Resync{"expired", 5, 9, 1, 4}, {}}),
              ElementsAre("oldest kept: 5", "head:        9", "lost:        1 to 4"));
  EXPECT_THAT(
      detail_lines({ErrorCode::too_large, "", LimitExceeded{"payload_max_bytes", 57344}, {}}),
      ElementsAre("limit payload_max_bytes: 57344"));
  EXPECT_THAT(detail_lines({ErrorCode::internal, "", {}, {}}), ElementsAre());
}

TEST(Report, WrongUsageHasNoCodeAndAHint) {
  Failure failure =
      failure_of({ErrorCode::invalid_request, "a file is missing", {}, {}}, ExitCode::usage);
  failure.hint = "see: annals --help";
  failure.lines = {"annals.toml:3: store: expected a store URL"};
  EXPECT_EQ(failure_text(failure),
            "error: a file is missing\n"
            "  annals.toml:3: store: expected a store URL\n"
            "see: annals --help\n");
}

TEST(Report, WhatComesFromOutsideCannotSteerTheTerminal) {
  Failure failure = failure_of({ErrorCode::not_found, "no \x1b[2Jstream", {}, {}});
  failure.lines = {"a\rb"};
  EXPECT_EQ(failure_text(failure), "error: no ?[2Jstream (not_found)\n  a?b\n");
}

TEST(Report, JsonIsOneLineWithEverything) {
  Failure failure = failure_of(
      {ErrorCode::invalid_event, "bad", InvalidEvent{{{0, "/type", "pattern", "must match"}}}, {}});
  failure.lines = {"first \"line\"", "second\xff"};
  const auto text = failure_json(failure);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["code"], "invalid_event");
  EXPECT_EQ(json["violations"].size(), 1U);
  EXPECT_EQ(json["problems"][0], "first \"line\"");
}

}  // namespace
}  // namespace annals::cli
