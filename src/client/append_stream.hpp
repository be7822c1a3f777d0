#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "annals/append_stream.hpp"
#include "client/connection.hpp"
#include "client/response_reader.hpp"
#include "wire/line_reader.hpp"

namespace annals {

/// The thread that carries lines to a server and answers back. See `AppendStream`.
class AppendStream::Impl {
 public:
  /// Connects. Errors: those of `Connection::open`.
  static Result<std::unique_ptr<Impl>> open(std::shared_ptr<const client::Endpoint> endpoint,
                                            std::optional<std::string> traceparent);

  Impl(std::shared_ptr<const client::Endpoint> endpoint,
       std::unique_ptr<client::Connection> connection, std::string head);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  /// Hands a line over; waits while too much is under way.
  void append(std::string_view line, Done done);

  /// Answers an event that cannot be sent, in its turn.
  void refuse(Error error, Done done);

  Result<void> finish();

 private:
  /// A line that is not answered yet.
  struct Slot {
    std::size_t bytes = 0;
    Done done;
    std::optional<Error> refused;  ///< Answered without the server.
  };

  void add(Slot slot, std::string_view line);
  void run();
  Result<void> carry();
  Result<void> send();
  Result<bool> receive();
  Result<void> take_answers(std::string_view body);
  void answer(Result<AppendResult> result);
  void answer_refused();
  void end(const std::optional<Error>& error);
  std::chrono::milliseconds patience();

  const std::shared_ptr<const client::Endpoint> endpoint_;

  // Of the thread.
  std::unique_ptr<client::Connection> connection_;
  std::string head_;  ///< Of the request, until it is sent.
  client::ResponseReader response_;
  wire::LineReader lines_;
  std::string problem_;  ///< The body of an answer that refuses the whole request.
  std::string sending_;
  bool last_sent_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Slot> slots_;       // guarded by mutex_
  std::size_t bytes_ = 0;        // guarded by mutex_
  std::string unsent_;           // guarded by mutex_
  bool ended_ = false;           // guarded by mutex_
  bool closed_ = false;          // guarded by mutex_: the thread takes nothing more
  std::optional<Error> failed_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace annals
