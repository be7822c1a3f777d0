#pragma once

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "annals/address_range.hpp"
#include "server/tls.hpp"

namespace annals::server {

/// An accepted connection, plain or with TLS: the same calls for both, so that nobody above knows
/// which it is. Never blocks. Used on the thread of the socket's executor, with at most one wait
/// and one write under way. Movable between them, also while a wait is under way.
class Socket {
 public:
  using ErrorCode = boost::system::error_code;
  using OnReadable = std::function<void(const ErrorCode& error)>;
  using OnWritten = std::function<void(const ErrorCode& error, std::size_t bytes)>;

  /// Without TLS.
  explicit Socket(boost::asio::ip::tcp::socket socket);

  /// With TLS; `session` was made for the descriptor of `socket`.
  Socket(boost::asio::ip::tcp::socket socket, std::unique_ptr<TlsSession> session);

  [[nodiscard]] bool secure() const noexcept { return state_->tls != nullptr; }

  /// Where the peer is; `nullopt` when it has gone already.
  [[nodiscard]] std::optional<IpAddress> peer() const;

  /// Calls `handler` once `read_some` is worth a try.
  template <typename Handler>
  void wait_readable(Handler&& handler) {
    if (secure()) {
      wait_for_record(std::forward<Handler>(handler));
    } else {
      state_->socket.async_wait(boost::asio::ip::tcp::socket::wait_read,
                                std::forward<Handler>(handler));
    }
  }

  /// Reads what is there: `would_block` when nothing is, `eof` at the end.
  std::size_t read_some(std::span<char> out, ErrorCode& error);

  /// Like `read_some` of one byte that stays where it is.
  std::size_t peek(ErrorCode& error);

  /// Sends some of the buffers, which must stay as they are until `handler` is called with how
  /// much. After `cancel` the bytes told are on their way all the same.
  template <typename Buffers, typename Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    if (secure()) {
      write_record(gather(buffers), std::forward<Handler>(handler));
    } else {
      state_->socket.async_write_some(buffers, std::forward<Handler>(handler));
    }
  }

  /// Lets a wait and a write come back with `operation_aborted`.
  void cancel();

  /// Nothing more is sent; the peer is told so.
  void shutdown_send();

  void close();

  /// Closes so that the peer sees a broken connection, not an orderly end.
  void reset();

 private:
  struct Secured {
    std::unique_ptr<TlsSession> session;
    std::string record;             ///< Given to TLS and not through yet.
    bool read_wants_write = false;  ///< The handshake has to send before it can go on.
  };
  struct State {
    boost::asio::ip::tcp::socket socket;
    std::unique_ptr<Secured> tls;  ///< Null: the connection is plain.
  };
  struct Write;

  /// Bytes of one record.
  static constexpr std::size_t max_record = std::size_t{16} * 1024;

  template <typename Buffers>
  static std::string gather(const Buffers& buffers) {
    std::string bytes;
    for (const boost::asio::const_buffer buffer : buffers) {
      const std::size_t room = max_record - bytes.size();
      bytes.append(static_cast<const char*>(buffer.data()), std::min(room, buffer.size()));
      if (bytes.size() == max_record) break;
    }
    return bytes;
  }

  void wait_for_record(OnReadable handler);
  void write_record(std::string bytes, OnWritten handler);
  static void go_on(State& state, const std::shared_ptr<Write>& write);

  /// Stays in place when this is moved.
  std::unique_ptr<State> state_;
};

}  // namespace annals::server
