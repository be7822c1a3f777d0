#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "annals/event_log.hpp"
#include "tests/fault/workload.hpp"

namespace annals::test {

/// What is wrong with an open log that workloads have written to, for people; empty when it has
/// kept every promise: what `LogComparison` checks, the log hash of the last receipt, `verify`, and
/// that keys, catalogue and the application's rows go together with their events. `journals` are
/// those of all programs that wrote to it, `changes` what the last one was answered.
[[nodiscard]] std::vector<std::string> audit(EventLog& log,
                                             const std::vector<std::filesystem::path>& journals,
                                             const AskedChanges& changes);

}  // namespace annals::test
