#include "wire/problem_reader.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "wire/problem.hpp"

namespace annals::wire {
namespace {

TEST(ProblemReader, EveryDocumentOfTheGoldenFileIsReadBack) {
  const char* root = std::getenv("ANNALS_SOURCE_DIR");
  ASSERT_NE(root, nullptr) << "run by ctest, or set ANNALS_SOURCE_DIR to the tree";
  std::ifstream file{std::string{root} + "/src/wire/testdata/problems.ndjson"};
  std::size_t documents = 0;
  std::size_t same = 0;
  for (std::string line; std::getline(file, line); ++documents) {
    const auto error = read_problem(line);
    ASSERT_TRUE(error) << line;
    EXPECT_EQ(error->detail, "what happened");
    if (problem_json(*error) == line) ++same;
  }
  constexpr std::size_t only_of_http = static_cast<std::size_t>(HttpCode::not_reached) + 1;
  EXPECT_GT(documents, only_of_http);
  EXPECT_EQ(same, documents - only_of_http);
}

TEST(ProblemReader, WhatOnlyHttpHasBecomesWhatAsksTheSameOfTheCaller) {
  const auto code = [](HttpCode http) { return read_problem(problem_json(http, "x"))->code; };
  EXPECT_EQ(code(HttpCode::not_reached), ErrorCode::busy);
  EXPECT_EQ(code(HttpCode::request_timeout), ErrorCode::store_unavailable);
  EXPECT_EQ(code(HttpCode::method_not_allowed), ErrorCode::invalid_request);
  EXPECT_EQ(code(HttpCode::header_too_large), ErrorCode::invalid_request);
}

TEST(ProblemReader, ACodeOfANewerServerIsJudgedByItsStatus) {
  const auto read = [](int status) {
    return read_problem(R"({"code":"moon_phase","detail":"no","status":)" + std::to_string(status) +
                        "}")
        ->code;
  };
  EXPECT_EQ(read(401), ErrorCode::not_authenticated);
  EXPECT_EQ(read(403), ErrorCode::not_allowed);
  EXPECT_EQ(read(404), ErrorCode::not_found);
  EXPECT_EQ(read(409), ErrorCode::invalid_request);
  EXPECT_EQ(read(413), ErrorCode::too_large);
  EXPECT_EQ(read(429), ErrorCode::rate_limited);
  EXPECT_EQ(read(502), ErrorCode::store_unavailable);
  EXPECT_EQ(read(507), ErrorCode::store_full);
}

TEST(ProblemReader, OtherTextsAreNone) {
  for (const std::string json : {"", "{}", "<html>", "[]", R"({"code":1})", R"({"code":"busy")",
                                 R"({"code":"busy","violations":{}})"}) {
    EXPECT_FALSE(read_problem(json)) << json;
  }
}

}  // namespace
}  // namespace annals::wire
