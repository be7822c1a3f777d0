#pragma once

#include "server/clock.hpp"

namespace annals::server {

/// An open connection in one of its roles. Lives on one shard and is used on its thread only.
class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;

  /// Called several times a second at least: looks at deadlines.
  virtual void on_tick(Deadline now) = 0;

  /// New frames may be there.
  virtual void on_news() {}

  /// Keys have changed.
  virtual void on_access() {}

  /// Finish what was begun, then close.
  virtual void stop() = 0;

  /// Close now.
  virtual void cut() = 0;
};

}  // namespace annals::server
