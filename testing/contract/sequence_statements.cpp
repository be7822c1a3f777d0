#include "testing/contract/sequence_statements.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "store/sqlite/statements.hpp"
#include "testing/contract/store_fixture.hpp"

namespace annals::test {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// True for a statement that sets the sequence: it writes the state and names the column before
/// its condition.
bool writes_sequence(const std::string& statement) {
  const auto text = lower(statement);
  const bool writes = text.starts_with("update") || text.starts_with("insert") ||
                      text.starts_with("replace") || text.starts_with("delete");
  return writes && text.find("annals_log_state") != std::string::npos &&
         text.substr(0, text.find(" where ")).find("event_seq") != std::string::npos;
}

/// Looks at everything that the whole suite has made the store do.
class OneStatementAdvancesTheSequence final : public ::testing::Environment {
 public:
  void TearDown() override {
    std::vector<std::string> found;
    const auto statements = traced_statements();
    std::ranges::copy_if(statements, std::back_inserter(found), writes_sequence);
    std::vector<std::string> expected{store::sqlite::insert_log_state,
                                      store::sqlite::advance_log_state};
    std::ranges::sort(expected);
    // A part of the suite (--gtest_filter) need not append.
    if (::testing::UnitTest::GetInstance()->test_to_run_count() ==
        ::testing::UnitTest::GetInstance()->total_test_count()) {
      EXPECT_EQ(found, expected);
    } else {
      EXPECT_TRUE(std::ranges::includes(expected, found));
    }
  }
};

}  // namespace

void expect_one_statement_advances_the_sequence() {
  ::testing::AddGlobalTestEnvironment(
      std::make_unique<OneStatementAdvancesTheSequence>().release());
}

}  // namespace annals::test
