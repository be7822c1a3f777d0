#include <gtest/gtest.h>

#include "testing/contract/sequence_statements.hpp"
#include "tests/contract/store/store_contract.hpp"

namespace annals::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Backends, StoreContract,
                         ::testing::Values(memory_backend(), sqlite_backend()),
                         [](const auto& tested) { return tested.param.name; });

const bool checked = (expect_one_statement_advances_the_sequence(), true);

}  // namespace
}  // namespace annals::test
