#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "log/sinks.hpp"
#include "server/access.hpp"
#include "server/frames.hpp"

namespace annals::server {

/// Where the hub's news go: every shard of the server.
class NewsSink {
 public:
  virtual ~NewsSink() = default;
  virtual void publish(std::shared_ptr<const AccessState> access) = 0;
  virtual void publish(const std::vector<FrameRunPtr>& runs) = 0;
  virtual void publish(std::uint64_t head) = 0;
};

/// The sink that follows who may do what: reads the keys again when the log says that they changed,
/// and tells everybody. Used on the tail's thread.
class AccessSink final : public log::Sink {
 public:
  AccessSink(Access& access, NewsSink& news) : access_(access), news_(news) {}

  Result<void> deliver(std::span<const Record> records) override;

 private:
  Access& access_;
  NewsSink& news_;
};

/// The sink that wakes subscribers. Encodes each event once, as long as anybody listens, in runs
/// small enough that a slow peer holds little of them. Used on the tail's thread.
class Hub final : public log::Sink {
 public:
  /// `listeners` tells whether there are subscribers now.
  Hub(NewsSink& news, std::function<bool()> listeners)
      : news_(news),
        listeners_(std::move(listeners)) {}

  Result<void> deliver(std::span<const Record> records) override;

 private:
  NewsSink& news_;
  std::function<bool()> listeners_;
};

}  // namespace annals::server
