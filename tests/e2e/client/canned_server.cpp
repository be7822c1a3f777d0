#include "tests/e2e/client/canned_server.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>

#include "testing/loopback.hpp"

namespace annals::test {
namespace {

/// How long the wish to end may go unnoticed.
constexpr int slice_ms = 20;

bool readable(const Fd& descriptor) {
  pollfd polled{.fd = descriptor.get(), .events = POLLIN, .revents = 0};
  return ::poll(&polled, 1, slice_ms) > 0;
}

}  // namespace

CannedServer::CannedServer(std::string answer)
    : answer_(std::move(answer)),
      listener_(reserve_port(port_)) {
  listen_on(listener_);
  thread_ = std::thread([this] { serve(); });
}

CannedServer::~CannedServer() {
  stopping_ = true;
  thread_.join();
}

void CannedServer::serve() {
  while (!stopping_) {
    if (!readable(listener_)) continue;
    const Fd connection = accept_from(listener_);
    if (connection) answer(connection);
  }
}

void CannedServer::answer(const Fd& connection) const {
  std::string head;
  std::array<char, 4096> piece{};
  while (head.find("\r\n\r\n") == std::string::npos && !stopping_) {
    if (!readable(connection)) continue;
    const auto got = ::recv(connection.get(), piece.data(), piece.size(), 0);
    if (got <= 0) return;
    head.append(piece.data(), static_cast<std::size_t>(got));
  }
  (void)::send(connection.get(), answer_.data(), answer_.size(), MSG_NOSIGNAL);
  ::shutdown(connection.get(), SHUT_WR);
  // To close with bytes unread would reset the connection and take the answer with it.
  while (!stopping_ && readable(connection) &&
         ::recv(connection.get(), piece.data(), piece.size(), 0) > 0) {}
}

}  // namespace annals::test
