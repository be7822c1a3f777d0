#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/plan.hpp"
#include "server/request_log.hpp"
#include "server/request_parser.hpp"
#include "server/service.hpp"
#include "server/session.hpp"
#include "server/shard.hpp"
#include "server/socket.hpp"

namespace annals::server {

/// One HTTP/1.1 connection: reads a request, has it answered, then reads the next. Requests sent
/// ahead wait in the kernel and are answered in order. A stream takes the socket away and ends it.
/// Used on its shard's thread, but for `post`.
class Connection final : public Session,
                         public StreamOutput,
                         public std::enable_shared_from_this<Connection> {
 public:
  /// `slot` is the place among the open connections, kept as long as the peer is connected.
  Connection(Socket socket, Shard& shard, Service& service, RequestLog& log,
             std::shared_ptr<void> slot);

  void start();

  // Session
  void on_tick(Deadline now) override;
  void on_news() override;
  void on_access() override;
  void stop() override;
  void cut() override { close(); }

  // StreamOutput
  void write(std::string bytes) override;
  void end() override;
  void abort() override;
  [[nodiscard]] std::size_t unsent() const override { return unsent_; }
  void resume() override;
  void post(std::function<void()> work) override { shard_.post(std::move(work)); }

 private:
  enum class Phase : std::uint8_t {
    head,      ///< Waiting for a request, or within its head.
    body,      ///< Reading the body of a request.
    handling,  ///< Waiting for the answer.
    writing,   ///< The answer is complete, and being sent.
    linger,    ///< Everything is sent; the peer may still be sending.
    closed,
  };

  void begin_request();
  void process();
  bool read_head();
  bool read_body();
  void dispatch();
  void begin_stream(Response head);
  void begin_body(std::size_t max_bytes);
  void refuse_body();
  void take_whole(std::string piece);
  void complete_body();
  void run_blocking(std::function<Reply()> run);
  [[nodiscard]] Respond responder();
  void deliver(const std::function<Reply()>& make);
  void answer(Response response);
  void add_cors(Response& response) const;
  void subscribe(StreamStart start);
  void download(Download download);
  void put_off(Later later);
  void ask_again(bool expired);
  [[nodiscard]] bool caller_holds() const;

  void read();
  void look_at_peer();
  void on_readable(bool failed);
  void enqueue(std::string bytes);
  void send(std::string bytes);
  void write_next();
  void on_written(bool failed, std::size_t bytes);
  void finish_answer();
  void linger();
  void close();

  Socket socket_;
  Shard& shard_;
  Service& service_;
  RequestLog& log_;
  std::shared_ptr<void> slot_;
  const std::optional<IpAddress> peer_;

  Phase phase_ = Phase::head;
  std::string in_;  ///< Received and not parsed yet.
  std::optional<RequestParser> parser_;
  Caller caller_;
  std::vector<Field> cors_;                  ///< Of the answer to the request.
  WithBody handler_;                         ///< Of a body read whole.
  std::string body_;                         ///< Read so far of it.
  std::shared_ptr<AnswerStream> answering_;  ///< Makes the answer piece by piece.
  std::shared_ptr<BodyStream> stream_;       ///< The same, when it takes the body piece by piece.
  std::string stream_head_;                  ///< Sent with the first bytes of a streamed answer.
  bool chunked_ = false;                     ///< Of a streamed answer.
  std::optional<Later> later_;               ///< Asked again later.

  std::deque<std::string> out_;
  std::size_t out_offset_ = 0;  ///< Sent of the first.
  std::size_t unsent_ = 0;

  bool reading_ = false;
  bool writing_ = false;
  bool keep_alive_ = false;  ///< After the answer.
  bool stopping_ = false;
  std::optional<Deadline> read_deadline_;
  std::optional<Deadline> write_deadline_;
  std::size_t lingered_ = 0;  ///< Bytes thrown away.

  RequestLine line_;
};

}  // namespace annals::server
