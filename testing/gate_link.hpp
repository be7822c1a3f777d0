#pragma once

#include <poll.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "testing/fd.hpp"
#include "testing/tcp_gate.hpp"

namespace annals::test {

/// How bytes move through a gate. Plain value.
struct Flow {
  bool stalled = false;
  std::optional<std::size_t> bytes_per_second;
};

/// What `TcpGate::cut_after` waits for: the bytes that may still pass.
struct Fuse {
  GateSide sender = GateSide::client;
  std::size_t left = 0;
};

/// One connection through a gate: two sockets and what was read from one and not yet written to the
/// other. Used on the gate's thread.
class GateLink {
 public:
  /// `server` may still be connecting.
  GateLink(Fd client, Fd server);

  /// What to wait for on the socket of `side`; its descriptor is -1 when there is nothing.
  pollfd interest(GateSide side, const Flow& flow);

  /// Handles what poll reported for `side`. Adds to `passed` what that side sent. False when the
  /// fuse has burnt down: the caller cuts everything.
  bool advance(GateSide side, short events, const Flow& flow, std::optional<Fuse>& fuse,
               std::uint64_t& passed);

  /// Resets both sockets.
  void reset();

  /// Resets the socket of `gone` without a word to the other.
  void vanish(GateSide gone);

  [[nodiscard]] bool closed() const noexcept { return !ends_[0].fd && !ends_[1].fd; }

 private:
  struct End {
    Fd fd;
    bool connecting = false;
    bool ended = false;    ///< It sends no more.
    bool told = false;     ///< It knows that the other sends no more.
    std::string sent;      ///< Read from it, not yet written to the other.
    double allowance = 0;  ///< Bytes it may send now, when the flow is slow.
    std::chrono::steady_clock::time_point refilled;
  };

  End& end(GateSide side) { return ends_[static_cast<std::size_t>(side)]; }
  End& other(GateSide side) { return ends_[1 - static_cast<std::size_t>(side)]; }

  static std::size_t readable(End& from, const Flow& flow);
  bool receive(GateSide side, const Flow& flow, std::optional<Fuse>& fuse, std::uint64_t& passed);
  void deliver(End& from, End& to);
  bool finish_connect(End& from);

  std::array<End, 2> ends_;
};

}  // namespace annals::test
