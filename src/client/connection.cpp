#include "client/connection.hpp"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "client/trust.hpp"

namespace annals::client {

namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using SystemError = boost::system::error_code;

/// How an operation ended, shared with its handler, which may come after nobody waits any more.
struct Ended {
  std::optional<SystemError> error;
  std::size_t bytes = 0;
};

/// The peer closed in order; without its TLS goodbye too, since HTTP says where an answer ends.
bool is_end(const SystemError& error) {
  return error == asio::error::eof || error == asio::ssl::error::stream_truncated;
}

}  // namespace

class Connection::Impl {
 public:
  explicit Impl(std::shared_ptr<const Endpoint> endpoint) : endpoint_(std::move(endpoint)) {}

  Result<void> open() {
    const auto deadline = Clock::now() + endpoint_->options.connect_timeout;
    const auto found = resolve(deadline);
    if (!found) return std::unexpected(found.error());
    const auto ended = std::make_shared<Ended>();
    asio::async_connect(
        socket_, *found,
        [ended](const SystemError& error, const Tcp::endpoint& /*peer*/) { ended->error = error; });
    if (auto connected = wait_for(*ended, deadline); !connected) return connected;
    SystemError ignored;
    socket_.set_option(Tcp::no_delay(true), ignored);
    return endpoint_->url.tls ? shake_hands(deadline) : Result<void>{};
  }

  Result<void> write(std::string_view bytes, std::chrono::milliseconds silence) {
    writing_ = true;
    start_read();
    while (!bytes.empty()) {
      const auto ended = std::make_shared<Ended>();
      const auto handler = [ended](const SystemError& error, std::size_t count) {
        ended->error = error;
        ended->bytes = count;
      };
      const auto buffer = asio::buffer(bytes.data(), bytes.size());
      if (tls_) {
        tls_->async_write_some(buffer, handler);
      } else {
        socket_.async_write_some(buffer, handler);
      }
      if (!run([&ended] { return ended->error.has_value(); }, Clock::now() + silence)) {
        // The operation still refers to the bytes.
        close();
        return lost("nothing could be sent for " + std::to_string(silence.count()) + " ms");
      }
      if (*ended->error) return lost(ended->error->message());
      bytes.remove_prefix(ended->bytes);
    }
    writing_ = false;
    return {};
  }

  Result<Got> read(std::string& out, std::chrono::milliseconds wait) {
    start_read();
    run([this] { return !inbox_.empty() || ended_ || woken_; }, Clock::now() + wait);
    woken_ = false;
    if (!inbox_.empty()) {
      out += inbox_;
      inbox_.clear();
      return Got::bytes;
    }
    if (!ended_) return Got::nothing;
    if (is_end(read_error_)) return Got::end;
    return std::unexpected(lost(read_error_.message()).error());
  }

  void wake() {
    asio::post(io_, [this] { woken_ = true; });
  }

 private:
  using Addresses = std::vector<Tcp::endpoint>;

  /// `localhost` is this machine (RFC 6761), whatever a name server says, and where there is none.
  Result<Addresses> resolve(Clock::time_point deadline) {
    const auto& url = endpoint_->url;
    if (url.host == "localhost") {
      return Addresses{{asio::ip::address_v4::loopback(), url.port},
                       {asio::ip::address_v6::loopback(), url.port}};
    }
    const auto ended = std::make_shared<Ended>();
    const auto found = std::make_shared<Addresses>();
    resolver_.async_resolve(
        url.host, std::to_string(url.port),
        [ended, found](const SystemError& error, const Tcp::resolver::results_type& results) {
          for (const auto& result : results)
            found->push_back(result.endpoint());
          ended->error = error;
        });
    if (auto resolved = wait_for(*ended, deadline); !resolved) {
      return std::unexpected(resolved.error());
    }
    return std::move(*found);
  }

  /// Runs handlers until `done` holds, but not beyond `deadline`; whether it holds.
  template <typename Done>
  bool run(Done done, Clock::time_point deadline) {
    while (!done()) {
      if (io_.poll_one() == 0 && io_.run_one_until(deadline) == 0) return done();
    }
    return true;
  }

  [[nodiscard]] std::unexpected<Error> lost(const std::string& why) const {
    return fail(ErrorCode::store_unavailable,
                "the connection to " + to_string(endpoint_->url) + " was lost: " + why);
  }

  Result<void> wait_for(const Ended& ended, Clock::time_point deadline) {
    std::string why = "it took too long";
    if (run([&ended] { return ended.error.has_value(); }, deadline)) {
      if (!*ended.error) return {};
      why = ended.error->message();
    }
    resolver_.cancel();
    close();
    return fail(ErrorCode::store_unavailable,
                "cannot connect to " + to_string(endpoint_->url) + ": " + why);
  }

  Result<void> shake_hands(Clock::time_point deadline) {
    tls_.emplace(socket_, endpoint_->trust->context());
    SSL* const ssl = tls_->native_handle();
    const std::string& host = endpoint_->url.host;
    if (is_address(host)) {
      X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str());
    } else {
      SSL_set_tlsext_host_name(ssl, host.c_str());
      SSL_set1_host(ssl, host.c_str());
    }
    const auto ended = std::make_shared<Ended>();
    tls_->async_handshake(asio::ssl::stream_base::client,
                          [ended](const SystemError& error) { ended->error = error; });
    auto shaken = wait_for(*ended, deadline);
    const long verdict = SSL_get_verify_result(ssl);
    if (shaken || verdict == X509_V_OK) return shaken;
    return fail(ErrorCode::invalid_request,
                "the certificate of " + to_string(endpoint_->url) +
                    " is not trusted: " + X509_verify_cert_error_string(verdict));
  }

  void start_read() {
    if (reading_ || ended_) return;
    reading_ = true;
    const auto handler = [this](const SystemError& error, std::size_t count) {
      reading_ = false;
      inbox_.append(buffer_.data(), count);
      if (error) {
        ended_ = true;
        read_error_ = error;
      } else if (writing_) {
        start_read();
      }
    };
    if (tls_) {
      tls_->async_read_some(asio::buffer(buffer_), handler);
    } else {
      socket_.async_read_some(asio::buffer(buffer_), handler);
    }
  }

  void close() {
    SystemError ignored;
    socket_.close(ignored);
  }

  const std::shared_ptr<const Endpoint> endpoint_;
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  Tcp::resolver resolver_{io_};
  Tcp::socket socket_{io_};
  std::optional<asio::ssl::stream<Tcp::socket&>> tls_;
  std::array<char, std::size_t{64} * 1024> buffer_{};
  std::string inbox_;
  bool reading_ = false;
  bool writing_ = false;
  bool ended_ = false;
  bool woken_ = false;
  SystemError read_error_;
};

Connection::Connection(std::shared_ptr<const Endpoint> endpoint)
    : impl_(std::make_unique<Impl>(std::move(endpoint))) {}

Connection::~Connection() = default;

Result<void> Connection::open() {
  return impl_->open();
}

Result<void> Connection::write(std::string_view bytes, std::chrono::milliseconds silence) {
  return impl_->write(bytes, silence);
}

Result<Connection::Got> Connection::read(std::string& out, std::chrono::milliseconds wait) {
  return impl_->read(out, wait);
}

void Connection::wake() {
  impl_->wake();
}

}  // namespace annals::client
