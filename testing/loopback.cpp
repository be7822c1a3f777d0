#include "testing/loopback.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

namespace annals::test {

namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

Fd tcp_socket() {
  return Fd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

bool bind_to(const Fd& socket, std::uint16_t port) {
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const auto address = loopback(port);
  return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

void no_delay(const Fd& socket) {
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

Fd reserve_port(std::uint16_t& port) {
  constexpr int attempts = 20;
  for (int i = 0; i < attempts; ++i) {
    Fd probe = tcp_socket();
    sockaddr_in address{};
    socklen_t size = sizeof address;
    if (!probe || !bind_to(probe, 0) ||
        ::getsockname(probe.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      break;
    }
    port = ntohs(address.sin_port);
    probe.reset();
    // The system takes back a port that it chose itself as soon as the socket stops listening; one
    // that was asked for by number stays.
    Fd socket = tcp_socket();
    if (socket && bind_to(socket, port)) return socket;
  }
  throw std::system_error(errno, std::generic_category(), "bind");
}

void listen_on(const Fd& bound) {
  if (::listen(bound.get(), SOMAXCONN) != 0) {
    throw std::system_error(errno, std::generic_category(), "listen");
  }
}

Fd accept_from(const Fd& listener) {
  Fd connection(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (connection) no_delay(connection);
  return connection;
}

Fd connect_to(std::uint16_t port) {
  Fd socket = tcp_socket();
  if (!socket) return {};
  const auto address = loopback(port);
  const int made =
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  if (made != 0 && errno != EINPROGRESS) return {};
  no_delay(socket);
  return socket;
}

void reset_connection(Fd& connection) {
  if (!connection) return;
  const linger now{1, 0};
  ::setsockopt(connection.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  connection.reset();
}

}  // namespace annals::test
