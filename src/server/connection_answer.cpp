#include <array>
#include <boost/asio/buffer.hpp>
#include <charconv>
#include <utility>
#include <variant>
#include <vector>

#include "server/connection.hpp"
#include "server/subscriber.hpp"

// How a connection answers: at once, later, piece by piece, or as a subscriber.

namespace annals::server {

namespace {

using boost::system::error_code;

constexpr std::size_t max_buffers = 64;

std::string chunk(std::string_view bytes) {
  std::array<char, 16> size{};
  const auto end = std::to_chars(size.data(), size.data() + size.size(), bytes.size(), 16).ptr;
  std::string out{size.data(), end};
  out += "\r\n";
  out += bytes;
  out += "\r\n";
  return out;
}

}  // namespace

void Connection::deliver(const std::function<Reply()>& make) {
  if (phase_ != Phase::handling) return;
  Reply reply = make();
  if (auto* response = std::get_if<Response>(&reply)) {
    answer(std::move(*response));
  } else if (auto* start = std::get_if<StreamStart>(&reply)) {
    subscribe(std::move(*start));
  } else if (auto* made = std::get_if<Download>(&reply)) {
    download(std::move(*made));
  } else {
    put_off(std::get<Later>(std::move(reply)));
  }
}

void Connection::download(Download download) {
  begin_stream(std::move(download.head));
  if (parser_->request().method == Method::head) {
    phase_ = Phase::writing;
    send(std::exchange(stream_head_, {}));
    return;
  }
  // The head at once: the first bytes of the body may take a while.
  send(std::exchange(stream_head_, {}));
  answering_ = download.begin(shared_from_this());
}

void Connection::put_off(Later later) {
  later_ = std::move(later);
  if (stopping_ || !caller_holds()) {
    ask_again(true);
    return;
  }
  on_news();
  if (later_) read();  // notices when the peer goes
}

void Connection::on_news() {
  if (later_ && shard_.cache().head() >= later_->seq) ask_again(false);
}

void Connection::ask_again(bool expired) {
  const Later later = std::move(*std::exchange(later_, std::nullopt));
  if (!caller_holds()) {
    answer(problem(Error{
        ErrorCode::not_authenticated, "the key was revoked or has expired meanwhile", {}, {}}));
    return;
  }
  run_blocking(
      [run = later.run, wake = Wake{expired, shard_.cache().head()}] { return run(wake); });
}

bool Connection::caller_holds() const {
  return shard_.access().holds(caller_, wall_clock());
}

void Connection::on_access() {
  if (later_) {
    if (!caller_holds()) ask_again(false);
  } else if (answering_ && !stream_ && !caller_holds()) {
    // What is queued was read under rights that no longer hold.
    abort();
  }
}

void Connection::answer(Response response) {
  read_deadline_.reset();
  phase_ = Phase::writing;
  keep_alive_ = keep_alive_ && !response.close && !stopping_;
  line_.status = response.status;
  add_cors(response);
  const bool head_only = parser_->head_done() && parser_->request().method == Method::head;
  // Together: one packet for most, and no wait of the body for the head's acknowledgement.
  enqueue(head_bytes(response, response.body.size(), keep_alive_));
  if (!head_only && !response.body.empty()) enqueue(std::move(response.body));
  if (!writing_) write_next();
}

void Connection::add_cors(Response& response) const {
  response.fields.insert(response.fields.end(), cors_.begin(), cors_.end());
}

void Connection::subscribe(StreamStart start) {
  Response head;
  head.content_type = "text/event-stream";
  // A client that knows that nothing is left out can tell a hole from a filter.
  head.fields = {{"Cache-Control", "no-cache, no-transform"},
                 {"X-Accel-Buffering", "no"},
                 {"Annals-Stream", start.selection.complete() ? "complete" : "filtered"}};
  add_cors(head);
  if (parser_->request().method == Method::head) {
    keep_alive_ = false;
    phase_ = Phase::writing;
    line_.status = head.status;
    send(head_bytes(head, std::nullopt, false));
    return;
  }
  line_.status = head.status;
  auto on_end = [&request_log = log_, line = line_, slot = std::move(slot_)](
                    std::uint64_t bytes, std::string_view reason) mutable {
    line.bytes = bytes;
    line.reason = reason;
    request_log(line);
    slot.reset();
  };
  const auto self = shared_from_this();
  shard_.remove(*this);
  phase_ = Phase::closed;
  const auto subscriber =
      std::make_shared<Subscriber>(std::move(socket_), shard_, service_, std::move(start),
                                   head_bytes(head, std::nullopt, false), std::move(on_end));
  subscriber->start();
  if (stopping_) subscriber->stop();
}

void Connection::write(std::string bytes) {
  if (phase_ == Phase::closed || !answering_) return;
  std::string out = std::exchange(stream_head_, {});
  out += chunked_ ? chunk(bytes) : bytes;
  send(std::move(out));
}

void Connection::end() {
  if (phase_ == Phase::closed || !answering_) return;
  std::string out = std::exchange(stream_head_, {});
  if (chunked_) out += "0\r\n\r\n";
  stream_.reset();
  answering_.reset();
  phase_ = Phase::writing;
  if (!out.empty()) {
    send(std::move(out));
  } else if (!writing_) {
    finish_answer();
  }
}

void Connection::abort() {
  if (phase_ == Phase::closed) return;
  // Without chunks an orderly end would pass for the end of the answer.
  if (!chunked_) socket_.reset();
  line_.reason = "broken_off";
  log_(line_);
  close();
}

void Connection::enqueue(std::string bytes) {
  unsent_ += bytes.size();
  line_.bytes += bytes.size();
  out_.push_back(std::move(bytes));
}

void Connection::send(std::string bytes) {
  enqueue(std::move(bytes));
  if (!writing_) write_next();
}

void Connection::write_next() {
  std::vector<boost::asio::const_buffer> buffers;
  buffers.reserve(std::min(out_.size(), max_buffers));
  for (const std::string& bytes : out_) {
    if (buffers.size() == max_buffers) break;
    buffers.emplace_back(bytes.data(), bytes.size());
  }
  buffers.front() += out_offset_;
  writing_ = true;
  write_deadline_ = from_now(service_.options.write_timeout);
  socket_.async_write_some(buffers,
                           [self = shared_from_this()](const error_code& error, std::size_t bytes) {
                             self->writing_ = false;
                             if (self->phase_ != Phase::closed)
                               self->on_written(error.failed(), bytes);
                           });
}

void Connection::on_written(bool failed, std::size_t bytes) {
  if (failed) {
    close();
    return;
  }
  unsent_ -= bytes;
  out_offset_ += bytes;
  while (!out_.empty() && out_offset_ >= out_.front().size()) {
    out_offset_ -= out_.front().size();
    out_.pop_front();
  }
  const auto stream = answering_;
  if (!out_.empty()) {
    write_next();
    if (stream) stream->on_drained();
    return;
  }
  write_deadline_.reset();
  if (stream) {
    stream->on_drained();
  } else if (phase_ == Phase::writing) {
    finish_answer();
  }
}

void Connection::finish_answer() {
  if (!caller_.key_id.is_nil()) line_.key_id = annals::to_string(caller_.key_id);
  log_(line_);
  if (!keep_alive_) {
    linger();
    return;
  }
  begin_request();
  process();
}

}  // namespace annals::server
