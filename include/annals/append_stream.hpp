#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "annals/append.hpp"
#include "annals/event.hpp"
#include "annals/result.hpp"

namespace annals {

/// Events sent to a server one after the other over one request, each for itself: many are under
/// way at once, answered in their order as soon as they are durable, and one that is refused does
/// not stop the others. Made by `Client::append_stream`. A thread of its own sends and receives.
/// `append` and `finish` are called on one thread.
class AppendStream {
 public:
  /// Takes the outcome of one event, exactly once, on the stream's thread, in the order of the
  /// events. It must return soon and not call back. `commit_unknown`: the connection was lost
  /// before the answer; append the same event with the same id on a new stream.
  using Done = std::function<void(Result<AppendResult>)>;

  AppendStream(const AppendStream&) = delete;
  AppendStream& operator=(const AppendStream&) = delete;
  /// Waits like `finish`.
  ~AppendStream();

  /// Sends an event. One without an id gets one. Blocks while too much is under way.
  void append(NewEvent event, Done done);
  /// The same with what its stream is expected to be before.
  void append(NewEvent event, const ExpectedVersion& expected, Done done);
  /// Sends an event as the text it is, a JSON object without a line end in it.
  void append_line(std::string_view json, Done done);

  /// Waits until every event is answered, and ends the request. The error is what ended it early,
  /// if anything did. Idempotent.
  Result<void> finish();

 private:
  friend class Client;
  class Impl;
  explicit AppendStream(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace annals
