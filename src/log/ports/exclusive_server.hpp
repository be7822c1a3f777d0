#pragma once

#include "annals/result.hpp"

namespace annals::log {

/// Second interface of a store that only one server may serve at a time (SQLite); asked for with
/// `dynamic_cast`. Programs that only use the library do not take it. Thread-safe.
class ExclusiveServer {
 public:
  virtual ~ExclusiveServer() = default;

  /// Makes this process the only server of the store until the store is closed, or fails at once
  /// with `store_unavailable` naming who is. The operating system takes the right away from a
  /// process that ends in any way. Call after `open`. Repeating it is harmless.
  virtual Result<void> lock_server() = 0;
};

}  // namespace annals::log
