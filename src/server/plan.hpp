#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "server/access.hpp"
#include "server/message.hpp"
#include "server/selection.hpp"
#include "server/session.hpp"
#include "wire/cursor_query.hpp"

namespace annals::server {

/// The answer that turns a connection into a subscriber. Plain value.
struct StreamStart {
  ReadRights rights;
  Selection selection;
  wire::Position position;
  std::uint64_t head = 0;      ///< Of the log when the position was settled.
  std::shared_ptr<void> slot;  ///< Its place among the subscribers.
};

/// What an answer that is made piece by piece is written to. Used on the connection's thread, but
/// for `post`. Valid until `end` or `abort`, or until `on_abort` of its stream.
class StreamOutput {
 public:
  virtual ~StreamOutput() = default;

  /// Sends bytes of the answer; the head goes out with the first ones.
  virtual void write(std::string bytes) = 0;

  /// The answer is complete.
  virtual void end() = 0;

  /// The answer cannot be completed: the connection breaks off, so that the peer notices.
  virtual void abort() = 0;

  /// Bytes written here and not yet taken by the peer.
  [[nodiscard]] virtual std::size_t unsent() const = 0;

  /// Asks again whether more of the body is wanted.
  virtual void resume() = 0;

  /// Runs `work` on the connection's thread. From any thread, also after the connection's end.
  virtual void post(std::function<void()> work) = 0;
};

/// An answer that is made while it is sent. Used on the connection's thread.
class AnswerStream {
 public:
  virtual ~AnswerStream() = default;

  /// The peer has taken what was written, or some of it.
  virtual void on_drained() = 0;

  /// The connection is lost; the output must not be used any more but for `post`.
  virtual void on_abort() = 0;

  /// Called several times a second.
  virtual void on_tick() {}
};

/// A body that is handled, and answered, while it arrives. Used on the connection's thread.
class BodyStream : public AnswerStream {
 public:
  /// Whether the next piece may be read now. After false, `StreamOutput::resume` asks again.
  [[nodiscard]] virtual bool wants_more() const = 0;

  /// The next piece of the body.
  virtual void on_data(std::string_view piece) = 0;

  /// The body is complete.
  virtual void on_end() = 0;
};

/// The answer that is made while it is sent. `begin` is called on the connection's thread.
struct Download {
  Response head;  ///< Its body is written later.
  std::function<std::shared_ptr<AnswerStream>(std::shared_ptr<StreamOutput>)> begin;
};

struct Later;
using Reply = std::variant<Response, StreamStart, Download, Later>;

/// How a reply that was put off is asked for again.
struct Wake {
  bool expired = false;         ///< Its deadline has passed, or the server stops: answer now.
  std::uint64_t delivered = 0;  ///< The tail has delivered up to here.
};

/// Not answered yet. Holds no thread meanwhile; whether the caller may still read is looked at
/// before it is asked again.
struct Later {
  std::uint64_t seq = 0;                  ///< Ask again when the tail has delivered this one,
  Deadline deadline;                      ///< or then.
  std::function<Reply(const Wake&)> run;  ///< On a worker thread: may block on the store.
};

/// Takes the answer, as a function that makes it on the connection's thread. Call once, from any
/// thread.
using Respond = std::function<void(std::function<Reply()>)>;

/// Run on a worker thread: may block on the store.
struct Blocking {
  std::function<Reply()> run;
};

/// Run when the body is there, on the connection's thread.
struct WithBody {
  std::size_t max_bytes = 0;
  std::function<void(Request, Respond)> handle;
};

/// Run while the body arrives, on the connection's thread.
struct Streamed {
  Response head;  ///< Its body is written later.
  std::function<std::shared_ptr<BodyStream>(std::shared_ptr<StreamOutput>)> begin;
};

/// What is to be done with a request, decided from its head.
using Plan = std::variant<Response, Blocking, WithBody, Streamed>;

}  // namespace annals::server
