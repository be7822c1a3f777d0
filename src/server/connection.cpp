#include "server/connection.hpp"

#include <boost/asio/error.hpp>
#include <chrono>
#include <utility>
#include <variant>

#include "core/trace_context.hpp"
#include "server/routes.hpp"

namespace annals::server {

namespace {

using boost::system::error_code;

/// How long, and how much, the peer may go on sending after its answer before it is cut.
constexpr std::chrono::seconds linger_time{5};
constexpr std::chrono::seconds stopping_linger_time{1};
constexpr std::size_t linger_bytes = std::size_t{64} * 1024 * 1024;

/// More than the line that begins a chunk can need.
constexpr std::size_t max_unparsed_bytes = std::size_t{128} * 1024;

/// Kept of the input buffer between two requests.
constexpr std::size_t idle_buffer_bytes = std::size_t{16} * 1024;

Response too_large(std::size_t limit) {
  Response response =
      problem(Error{ErrorCode::too_large,
                    "a request may have at most " + std::to_string(limit) + " bytes",
                    LimitExceeded{"request_max_bytes", limit},
                    {}});
  response.close = true;
  return response;
}

}  // namespace

Connection::Connection(Socket socket, Shard& shard, Service& service, RequestLog& log,
                       std::shared_ptr<void> slot)
    : socket_(std::move(socket)),
      shard_(shard),
      service_(service),
      log_(log),
      slot_(std::move(slot)),
      peer_(socket_.peer()) {}

void Connection::start() {
  shard_.add(shared_from_this());
  begin_request();
  // The handshake comes before the head, and must not take longer.
  if (socket_.secure()) read_deadline_ = from_now(service_.options.head_timeout);
  process();
}

void Connection::begin_request() {
  phase_ = Phase::head;
  parser_.emplace(HeadLimits{service_.options.head_max_bytes, service_.options.head_max_lines});
  caller_ = {};
  cors_ = {};
  line_ = {};
  if (in_.empty() && in_.capacity() > idle_buffer_bytes) in_ = {};
  read_deadline_ =
      from_now(in_.empty() ? service_.options.idle_timeout : service_.options.head_timeout);
}

void Connection::process() {
  const auto self = shared_from_this();
  bool goes_on = true;
  while (goes_on) {
    switch (phase_) {
      case Phase::head:
        goes_on = read_head();
        break;
      case Phase::body:
        goes_on = read_body();
        break;
      default:
        goes_on = false;
        break;
    }
  }
}

bool Connection::read_head() {
  if (stopping_ && in_.empty()) {
    close();
    return false;
  }
  in_.erase(0, parser_->put(in_));
  if (parser_->failure()) {
    line_.begun = std::chrono::steady_clock::now();
    answer(*parser_->failure());
    return false;
  }
  if (!parser_->head_done()) {
    read();
    return false;
  }
  dispatch();
  return true;
}

void Connection::dispatch() {
  parser_->request().peer = peer_;
  const Request& request = parser_->request();
  read_deadline_.reset();
  keep_alive_ = request.keep_alive;
  cors_ = service_.cors.fields(request);
  line_.begun = std::chrono::steady_clock::now();
  line_.method = to_string(request.method);
  line_.path = request.path;
  if (const auto header = request.header("traceparent")) {
    if (const auto trace = core::parse_traceparent(*header)) {
      line_.correlation_id = annals::to_string(trace->trace_id);
    }
  }
  phase_ = Phase::handling;
  if (const auto taken = service_.limits.take_request(peer_, line_.begun); !taken) {
    Response refusal = problem(taken.error());
    refusal.close = request.has_body();
    answer(std::move(refusal));
    return;
  }
  Plan plan = route(service_, request, caller_);
  if (!caller_.key_id.is_nil()) line_.key_id = annals::to_string(caller_.key_id);
  if (auto* response = std::get_if<Response>(&plan)) {
    response->close |= request.has_body();
    answer(std::move(*response));
  } else if (auto* blocking = std::get_if<Blocking>(&plan)) {
    if (request.has_body()) {
      Response refusal =
          problem(Error{ErrorCode::invalid_request, "this call takes no body", {}, {}});
      refusal.close = true;
      answer(std::move(refusal));
      return;
    }
    run_blocking(std::move(blocking->run));
  } else if (auto* whole = std::get_if<WithBody>(&plan)) {
    handler_ = std::move(*whole);
    begin_body(handler_.max_bytes);
  } else if (auto* streamed = std::get_if<Streamed>(&plan)) {
    begin_stream(std::move(streamed->head));
    answering_ = stream_ = streamed->begin(shared_from_this());
    begin_body(0);
  }
}

void Connection::begin_stream(Response head) {
  chunked_ = parser_->request().http_1_1;
  keep_alive_ = keep_alive_ && chunked_ && !stopping_;
  if (chunked_) head.fields.push_back({"Transfer-Encoding", "chunked"});
  add_cors(head);
  line_.status = head.status;
  stream_head_ = head_bytes(head, std::nullopt, keep_alive_);
}

void Connection::begin_body(std::size_t max_bytes) {
  const Request& request = parser_->request();
  if (!stream_ && request.content_length.value_or(0) > max_bytes) {
    answer(too_large(max_bytes));
    return;
  }
  phase_ = Phase::body;
  body_.clear();
  if (request.expects_continue && request.has_body() && in_.empty()) {
    send("HTTP/1.1 100 Continue\r\n\r\n");
  }
}

bool Connection::read_body() {
  const auto stream = stream_;  // may end, and be let go, in any call
  if (stream && !stream->wants_more()) {
    // Nothing is waited for from the peer.
    read_deadline_.reset();
    return false;
  }
  if (!parser_->done()) {
    if (in_.empty()) {
      read();
      return false;
    }
    in_.erase(0, parser_->put(in_));
    if (parser_->failure() || in_.size() > max_unparsed_bytes) {
      refuse_body();
      return false;
    }
  }
  std::string piece = parser_->take_body();
  const bool more = !parser_->done() && piece.empty();
  if (!stream) {
    take_whole(std::move(piece));
  } else if (!piece.empty()) {
    stream->on_data(piece);
  }
  if (phase_ == Phase::body && parser_->done()) {
    complete_body();
    return false;
  }
  if (more) {
    // What is there is less than a chunk's head.
    read();
    return false;
  }
  return true;
}

void Connection::refuse_body() {
  if (stream_) {
    // Lines were answered already: the answer can only break off.
    close();
    return;
  }
  Response response = parser_->failure().value_or(
      problem(Error{ErrorCode::invalid_request, "the body's chunks are malformed", {}, {}}));
  response.close = true;
  answer(std::move(response));
}

void Connection::take_whole(std::string piece) {
  if (body_.empty()) {
    body_ = std::move(piece);
  } else {
    body_ += piece;
  }
  if (body_.size() > handler_.max_bytes) answer(too_large(handler_.max_bytes));
}

void Connection::complete_body() {
  read_deadline_.reset();
  phase_ = Phase::handling;
  if (const auto stream = stream_) {
    stream->on_end();
    return;
  }
  Request request = std::move(parser_->request());
  request.body = std::exchange(body_, {});
  const auto handle = std::exchange(handler_.handle, {});
  handle(std::move(request), responder());
}

void Connection::run_blocking(std::function<Reply()> run) {
  const bool queued =
      service_.workers.submit([run = std::move(run), self = shared_from_this()]() mutable {
        auto reply = std::make_shared<Reply>(run());
        self->post([self, reply] { self->deliver([&reply] { return std::move(*reply); }); });
      });
  if (!queued) close();
}

Respond Connection::responder() {
  return [self = shared_from_this()](std::function<Reply()> make) {
    self->post([self, make = std::move(make)] { self->deliver(make); });
  };
}

void Connection::look_at_peer() {
  error_code error;
  const std::size_t bytes = socket_.peek(error);
  // What was sent ahead waits for its turn.
  if (error == boost::asio::error::would_block) {
    read();
  } else if (error || bytes == 0) {
    close();
  }
}

void Connection::read() {
  if (reading_ || phase_ == Phase::closed) return;
  if (phase_ == Phase::body) read_deadline_ = from_now(service_.options.body_timeout);
  reading_ = true;
  socket_.wait_readable([self = shared_from_this()](const error_code& error) {
    self->reading_ = false;
    if (self->phase_ != Phase::closed) self->on_readable(error.failed());
  });
}

void Connection::on_readable(bool failed) {
  if (phase_ == Phase::handling || phase_ == Phase::writing) {
    if (later_) look_at_peer();
    return;
  }
  auto& scratch = shard_.scratch();
  error_code error;
  const std::size_t bytes = failed ? 0 : socket_.read_some(scratch, error);
  if (error == boost::asio::error::would_block) {
    read();
    return;
  }
  if (failed || error) {
    close();
    return;
  }
  if (phase_ == Phase::linger) {
    lingered_ += bytes;
    if (lingered_ > linger_bytes) {
      close();
    } else {
      read();
    }
    return;
  }
  if (phase_ == Phase::head && in_.empty())
    read_deadline_ = from_now(service_.options.head_timeout);
  in_.append(scratch.data(), bytes);
  process();
}

void Connection::resume() {
  if (phase_ == Phase::body) process();
}

void Connection::linger() {
  socket_.shutdown_send();
  phase_ = Phase::linger;
  in_ = {};
  read_deadline_ = from_now(stopping_ ? stopping_linger_time : linger_time);
  read();
}

void Connection::on_tick(Deadline now) {
  if (write_deadline_ && *write_deadline_ <= now) {
    close();
    return;
  }
  if (const auto stream = answering_) stream->on_tick();
  if (caller_.expires_at && *caller_.expires_at <= wall_clock()) on_access();
  if (later_ && later_->deadline <= now) {
    ask_again(true);
    return;
  }
  if (!read_deadline_ || *read_deadline_ > now) return;
  const bool mid_request = (phase_ == Phase::head && !in_.empty()) || phase_ == Phase::body;
  if (!mid_request || stream_) {
    close();
    return;
  }
  if (line_.begun == Deadline{}) line_.begun = now;
  Response response =
      problem(wire::HttpCode::request_timeout, "the request did not arrive in time");
  response.close = true;
  answer(std::move(response));
}

void Connection::stop() {
  stopping_ = true;
  keep_alive_ = false;
  const bool idle = phase_ == Phase::head && in_.empty();
  if (idle || phase_ == Phase::linger) {
    close();
  } else if (later_) {
    ask_again(true);
  }
}

void Connection::close() {
  if (phase_ == Phase::closed) return;
  const auto self = shared_from_this();
  phase_ = Phase::closed;
  socket_.close();
  slot_.reset();
  later_.reset();
  stream_.reset();
  if (const auto stream = std::exchange(answering_, nullptr)) stream->on_abort();
  shard_.remove(*this);
}

}  // namespace annals::server
