#pragma once

namespace annals::test {

/// Checks, when all tests of this program have run, that of all the statements which stores of
/// `sqlite_backend` ran, only one constant sets the sequence (and the one that makes a new log).
/// Called once, before the tests run.
void expect_one_statement_advances_the_sequence();

}  // namespace annals::test
