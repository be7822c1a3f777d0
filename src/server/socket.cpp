#include "server/socket.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>

namespace annals::server {

using boost::asio::ip::tcp;
using boost::system::error_code;
using Outcome = TlsSession::Outcome;

/// A write of one record that has to be made until it is through.
struct Socket::Write {
  std::string bytes;  ///< Given to TLS once what is left of an earlier record is through.
  std::size_t size;   ///< What the caller is told.
  OnWritten handler;
};

Socket::Socket(tcp::socket socket)
    : state_(std::make_unique<State>(State{std::move(socket), nullptr})) {}

Socket::Socket(tcp::socket socket, std::unique_ptr<TlsSession> session)
    : Socket(std::move(socket)) {
  if (session) state_->tls = std::make_unique<Secured>(Secured{std::move(session), {}});
}

namespace {

/// What Asio says in place of an outcome other than `done`.
error_code error_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return {};
    case Outcome::wants_read:
    case Outcome::wants_write:
      return boost::asio::error::would_block;
    case Outcome::closed:
      return boost::asio::error::eof;
    case Outcome::failed:
      return boost::asio::error::connection_reset;
  }
  return boost::asio::error::fault;
}

}  // namespace

std::optional<IpAddress> Socket::peer() const {
  error_code error;
  const auto peer = state_->socket.remote_endpoint(error);
  if (error) return std::nullopt;
  const auto address = peer.address();
  if (!address.is_v4()) return IpAddress{address.to_v6().to_bytes()};
  return IpAddress{
      boost::asio::ip::make_address_v6(boost::asio::ip::v4_mapped, address.to_v4()).to_bytes()};
}

void Socket::wait_for_record(OnReadable handler) {
  State& state = *state_;
  if (state.tls->session->has_received()) {
    boost::asio::post(state.socket.get_executor(),
                      [handler = std::move(handler)] { handler(error_code{}); });
    return;
  }
  state.socket.async_wait(
      state.tls->read_wants_write ? tcp::socket::wait_write : tcp::socket::wait_read,
      std::move(handler));
}

std::size_t Socket::read_some(std::span<char> out, error_code& error) {
  State& state = *state_;
  if (!state.tls) return state.socket.read_some(boost::asio::buffer(out.data(), out.size()), error);
  const auto step = state.tls->session->read(out);
  state.tls->read_wants_write = step.outcome == Outcome::wants_write;
  error = error_of(step.outcome);
  return step.bytes;
}

std::size_t Socket::peek(error_code& error) {
  State& state = *state_;
  if (!state.tls) {
    char next = 0;
    return state.socket.receive(boost::asio::buffer(&next, sizeof next), tcp::socket::message_peek,
                                error);
  }
  const auto step = state.tls->session->peek();
  state.tls->read_wants_write = step.outcome == Outcome::wants_write;
  error = error_of(step.outcome);
  return step.bytes;
}

void Socket::write_record(std::string bytes, OnWritten handler) {
  const std::size_t size = bytes.size();
  go_on(*state_, std::make_shared<Write>(Write{std::move(bytes), size, std::move(handler)}));
}

void Socket::go_on(State& state, const std::shared_ptr<Write>& write) {
  const auto tell = [&](const error_code& error, std::size_t bytes) {
    boost::asio::post(state.socket.get_executor(),
                      [write, error, bytes] { write->handler(error, bytes); });
  };
  std::string& record = state.tls->record;
  for (;;) {
    const bool earlier = !record.empty() && !write->bytes.empty();
    if (record.empty()) record = std::exchange(write->bytes, {});
    const auto step = state.tls->session->write(record);
    if (step.outcome == Outcome::done) {
      record.erase(0, step.bytes);
      if (!record.empty() || earlier) continue;
      tell({}, write->size);
      return;
    }
    if (step.outcome == Outcome::closed || step.outcome == Outcome::failed) {
      tell(error_of(step.outcome), 0);
      return;
    }
    state.socket.async_wait(
        step.outcome == Outcome::wants_read ? tcp::socket::wait_read : tcp::socket::wait_write,
        [&state, write](const error_code& error) {
          // A record that was begun has to go out, whatever comes after it.
          if (error) {
            write->handler(error, write->bytes.empty() ? write->size : 0);
          } else {
            go_on(state, write);
          }
        });
    return;
  }
}

void Socket::cancel() {
  error_code ignored;
  (void)state_->socket.cancel(ignored);
}

void Socket::shutdown_send() {
  if (state_->tls) state_->tls->session->close_notify();
  error_code ignored;
  (void)state_->socket.shutdown(tcp::socket::shutdown_send, ignored);
}

void Socket::close() {
  if (state_->tls && state_->socket.is_open() && state_->tls->record.empty()) {
    state_->tls->session->close_notify();
  }
  error_code ignored;
  (void)state_->socket.shutdown(tcp::socket::shutdown_both, ignored);
  (void)state_->socket.close(ignored);
}

void Socket::reset() {
  error_code ignored;
  (void)state_->socket.set_option(boost::asio::socket_base::linger{true, 0}, ignored);
  (void)state_->socket.close(ignored);
}

}  // namespace annals::server
