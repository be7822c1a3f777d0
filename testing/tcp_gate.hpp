#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace annals::test {

/// Which end of a connection: who connects, and what it connects to.
enum class GateSide : std::uint8_t { client, server };

/// A TCP proxy on 127.0.0.1 in front of a port of this machine, that breaks connections in the ways
/// networks do. It works on its own thread; every call has taken effect when it returns.
/// Thread-safe.
class TcpGate {
 public:
  /// Listens on a free port and passes everything to `target_port`. Throws std::system_error when
  /// that is impossible.
  explicit TcpGate(std::uint16_t target_port);
  TcpGate(const TcpGate&) = delete;
  TcpGate& operator=(const TcpGate&) = delete;

  /// Cuts every connection.
  ~TcpGate();

  /// Where clients connect to; it stays the same and reserved whatever the gate does.
  [[nodiscard]] std::uint16_t port() const noexcept;

  /// New connections go to another port from now on, e.g. that of a restarted server.
  void target(std::uint16_t target_port);

  /// Everything passes, in both directions, from now on. Ends `refuse`, `stall` and `slow`.
  void pass();

  /// New connections are refused by the system (ECONNREFUSED). Open ones go on.
  void refuse();

  /// No byte moves, in either direction, and no end is passed on. Connections are accepted and stay
  /// open. `pass` goes on where it stood: nothing is lost.
  void stall();

  /// At most so many bytes a second move in each direction of each connection.
  void slow(std::size_t bytes_per_second);

  /// Resets every open connection (RST to both ends), with whatever was on its way.
  void cut();

  /// Cuts all connections when `bytes` more bytes sent by `sender` have passed; the next byte after
  /// them does not arrive. Counted over all connections together; happens once, when that next byte
  /// is sent. With 0 bytes from the server a request arrives and its answer is lost.
  void cut_after(GateSide sender, std::size_t bytes);

  /// Open connections: `gone` disappears without a word to the other side, whose connection stays
  /// open, silent, and swallows what is written to it. New connections pass.
  void half_open(GateSide gone);

  /// How often `cut_after` has cut since the start.
  [[nodiscard]] std::size_t cuts() const;

  /// Waits until `cuts()` is at least `count`; false when `timeout` passes first.
  [[nodiscard]] bool wait_for_cuts(std::size_t count, std::chrono::milliseconds timeout) const;

  /// Connections that are open on at least one side.
  [[nodiscard]] std::size_t connections() const;

  /// Bytes of `sender` that have been passed on, over all connections.
  [[nodiscard]] std::uint64_t passed(GateSide sender) const;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace annals::test
