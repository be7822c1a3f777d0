#include "testing/gate_link.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "testing/loopback.hpp"

namespace annals::test {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{64} * 1024;

bool try_again() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

GateLink::GateLink(Fd client, Fd server) {
  end(GateSide::client).fd = std::move(client);
  end(GateSide::server).fd = std::move(server);
  end(GateSide::server).connecting = true;
  for (auto& each : ends_)
    each.refilled = std::chrono::steady_clock::now();
}

std::size_t GateLink::readable(End& from, const Flow& flow) {
  const std::size_t room = buffer_bytes - std::min(from.sent.size(), buffer_bytes);
  if (!flow.bytes_per_second) return room;
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double> since = now - from.refilled;
  const auto rate = static_cast<double>(*flow.bytes_per_second);
  from.refilled = now;
  // A tenth of a second of silence may be caught up with, not more.
  from.allowance = std::min(from.allowance + rate * since.count(), std::max(rate / 10, 1.0));
  return std::min(room, static_cast<std::size_t>(from.allowance));
}

pollfd GateLink::interest(GateSide side, const Flow& flow) {
  End& mine = end(side);
  short events = 0;
  if (mine.connecting) {
    events = POLLOUT;
  } else if (!flow.stalled) {
    if (!mine.ended && readable(mine, flow) > 0) events |= POLLIN;
    if (!other(side).sent.empty()) events |= POLLOUT;
  }
  // poll reports errors even when asked for nothing: then it must not see the socket at all.
  return {events == 0 ? -1 : mine.fd.get(), events, 0};
}

bool GateLink::advance(GateSide side, short events, const Flow& flow, std::optional<Fuse>& fuse,
                       std::uint64_t& passed) {
  End& mine = end(side);
  if (!mine.fd) return true;
  if (mine.connecting) {
    if (!finish_connect(mine)) reset();
    return true;
  }
  if ((events & POLLOUT) != 0) deliver(other(side), mine);
  if ((events & (POLLIN | POLLHUP | POLLERR)) != 0 && mine.fd) {
    return receive(side, flow, fuse, passed);
  }
  return true;
}

bool GateLink::finish_connect(End& from) {
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(from.fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  from.connecting = false;
  return error == 0;
}

bool GateLink::receive(GateSide side, const Flow& flow, std::optional<Fuse>& fuse,
                       std::uint64_t& passed) {
  End& mine = end(side);
  std::array<char, 16384> block{};
  const std::size_t wanted = std::min(block.size(), readable(mine, flow));
  if (wanted == 0) return true;
  const ssize_t got = ::recv(mine.fd.get(), block.data(), wanted, 0);
  if (got < 0 && try_again()) return true;
  if (got < 0) {
    reset();
    return true;
  }
  auto bytes = static_cast<std::size_t>(got);
  mine.allowance -= static_cast<double>(bytes);
  mine.ended = got == 0;
  if (!other(side).fd) {
    // The other has vanished: nobody hears this side, and its end ends everything.
    if (mine.ended) reset();
    return true;
  }
  bool burnt = false;
  if (fuse && fuse->sender == side) {
    burnt = bytes > fuse->left;
    bytes = std::min(bytes, fuse->left);
    fuse->left -= bytes;
  }
  mine.sent.append(block.data(), bytes);
  passed += bytes;
  deliver(mine, other(side));
  return !burnt;
}

/// Writes what `from` has sent, then passes its end on.
void GateLink::deliver(End& from, End& to) {
  if (!to.fd || to.connecting) return;
  while (!from.sent.empty()) {
    const ssize_t put = ::send(to.fd.get(), from.sent.data(), from.sent.size(), MSG_NOSIGNAL);
    if (put < 0 && try_again()) return;
    if (put < 0) {
      reset();
      return;
    }
    from.sent.erase(0, static_cast<std::size_t>(put));
  }
  if (from.ended && !to.told) {
    ::shutdown(to.fd.get(), SHUT_WR);
    to.told = true;
  }
  if (from.told && to.told) {
    from.fd.reset();
    to.fd.reset();
  }
}

void GateLink::reset() {
  for (auto& each : ends_)
    reset_connection(each.fd);
}

void GateLink::vanish(GateSide gone) {
  reset_connection(end(gone).fd);
  end(gone).connecting = false;
  end(gone).sent.clear();
  other(gone).sent.clear();
}

}  // namespace annals::test
