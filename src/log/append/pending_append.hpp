#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "annals/append.hpp"
#include "annals/result.hpp"
#include "log/append/append_request.hpp"

namespace annals::log {

/// A request on its way to the committer with whoever waits for it.
struct PendingAppend {
  using Completion = std::function<void(Result<AppendResult>)>;

  AppendRequest request;
  Completion done;      ///< Called once; empty after it was called.
  bool queued = false;  ///< Answered when admitted; while the store fails it is tried again.
  std::chrono::steady_clock::time_point deadline;  ///< Until when it may wait for admission.
  std::uint64_t ticket = 0;                        ///< Order of arrival, from 1.
};

}  // namespace annals::log
