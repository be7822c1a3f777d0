#include "server/listener.hpp"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <charconv>
#include <chrono>
#include <string_view>
#include <utility>

#include "server/connection.hpp"

namespace annals::server {

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

/// Unacknowledged bytes make a peer dead after this long, heartbeats included.
constexpr int user_timeout_ms = 30'000;

/// Before accepting goes on when the process has no file descriptor left.
constexpr std::chrono::milliseconds accept_pause{100};

void prepare(tcp::socket& socket) {
  error_code ignored;
  (void)socket.non_blocking(true, ignored);
  (void)socket.set_option(tcp::no_delay{true}, ignored);
  (void)socket.set_option(boost::asio::socket_base::keep_alive{true}, ignored);
  (void)::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &user_timeout_ms,
                     sizeof user_timeout_ms);
}

Error cannot_listen(const error_code& error) {
  return Error{ErrorCode::store_unavailable, "cannot listen: " + error.message(), {}, {}};
}

}  // namespace

Result<ListenAddress> parse_listen(const std::string& text) {
  const auto malformed = [] {
    return fail(ErrorCode::invalid_request,
                "server.listen must be an address and a port, such as "
                "127.0.0.1:7420 or [::1]:7420");
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return malformed();
  std::string host = text.substr(0, colon);
  const std::string_view port_text = std::string_view{text}.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string::npos) {
    return malformed();
  }
  if (host == "localhost") host = "127.0.0.1";
  ListenAddress address;
  const auto [end, problem] =
      std::from_chars(port_text.data(), port_text.data() + port_text.size(), address.port);
  error_code error;
  const auto parsed = boost::asio::ip::make_address(host, error);
  if (error || problem != std::errc{} || end != port_text.data() + port_text.size()) {
    return malformed();
  }
  address.host = std::move(host);
  address.loopback = parsed.is_loopback();
  return address;
}

Listener::Listener(std::vector<std::unique_ptr<Shard>>& shards, Service& service, RequestLog& log,
                   Slots& connections)
    : shards_(shards),
      service_(service),
      log_(log),
      connections_(connections),
      acceptor_(shards.front()->context()),
      pause_(shards.front()->context()) {}

Result<std::uint16_t> Listener::open(const ListenAddress& address) {
  error_code error;
  const tcp::endpoint endpoint{boost::asio::ip::make_address(address.host, error), address.port};
  if (!error) (void)acceptor_.open(endpoint.protocol(), error);
  if (!error) (void)acceptor_.set_option(tcp::acceptor::reuse_address{true}, error);
  if (!error) (void)acceptor_.bind(endpoint, error);
  if (!error) (void)acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
  if (error) return std::unexpected(cannot_listen(error));
  const tcp::endpoint local = acceptor_.local_endpoint(error);
  if (error) return std::unexpected(cannot_listen(error));
  return local.port();
}

void Listener::start() {
  shards_.front()->post([this] { accept(); });
}

void Listener::accept() {
  if (!acceptor_.is_open()) return;
  Shard& shard = *shards_[next_++ % shards_.size()];
  acceptor_.async_accept(shard.context(),
                         [this, &shard](const error_code& error, tcp::socket socket) {
                           if (!acceptor_.is_open()) return;
                           if (!error) {
                             take(std::move(socket), shard);
                             accept();
                             return;
                           }
                           pause_.expires_after(accept_pause);
                           pause_.async_wait([this](const error_code& stopped) {
                             if (!stopped) accept();
                           });
                         });
}

void Listener::take(tcp::socket socket, Shard& shard) {
  prepare(socket);
  std::unique_ptr<TlsSession> session;
  if (service_.tls != nullptr) {
    session = service_.tls->session(socket.native_handle());
    if (!session) return;
  }
  auto slot = connections_.take();
  if (!slot) {
    // A refusal with TLS would need the handshake, which is what there is no room for.
    if (session) return;
    Response refusal =
        problem(Error{ErrorCode::busy, "the server has too many connections", {}, {}});
    refusal.body.clear();
    const std::string head = head_bytes(refusal, 0, false);
    error_code ignored;
    (void)socket.write_some(boost::asio::buffer(head), ignored);
    return;
  }
  const auto connection = std::make_shared<Connection>(
      Socket{std::move(socket), std::move(session)}, shard, service_, log_, std::move(slot));
  shard.post([connection] { connection->start(); });
}

void Listener::close() {
  error_code ignored;
  (void)acceptor_.close(ignored);
  pause_.cancel();
}

}  // namespace annals::server
