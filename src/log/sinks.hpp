#pragma once

#include <span>

#include "annals/record.hpp"
#include "annals/result.hpp"

namespace annals::log {

/// Something the tail feeds: the access cache, the hub. One owner outside the tail, which it must
/// outlive.
class Sink {
 public:
  virtual ~Sink() = default;

  /// The next records of the log, in order, each exactly once since the tail started; never empty.
  /// Called on the tail's thread, after all sinks before this one took the same batch. An error
  /// stops the tail for good, because a sink that lost a batch would go on with a hole. Must not
  /// throw and must not stop the tail.
  virtual Result<void> deliver(std::span<const Record> records) = 0;
};

}  // namespace annals::log
