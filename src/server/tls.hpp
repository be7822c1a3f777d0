#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "annals/result.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace annals::server {

/// The server's side of one TLS connection over a connected, non-blocking socket. The handshake is
/// part of the first calls. Used by one thread at a time.
class TlsSession {
 public:
  /// Why a call came back.
  enum class Outcome : std::uint8_t {
    done,         ///< `bytes` were read or written.
    wants_read,   ///< Again when the socket is readable.
    wants_write,  ///< Again when it is writable; a write with the same bytes.
    closed,       ///< The peer said that nothing more comes, or is gone.
    failed,       ///< What came is not TLS, or not for us: the connection is of no more use.
  };
  struct Step {
    Outcome outcome;
    std::size_t bytes = 0;
  };

  /// Takes over a new session. `descriptor` must stay open as long as this is used.
  TlsSession(ssl_st* session, int descriptor);
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;
  ~TlsSession();

  Step read(std::span<char> out);

  /// Whether there is something to read, without reading it.
  Step peek();

  /// At most one record of 16 KiB. After `wants_write` the next write begins with the same bytes.
  Step write(std::string_view bytes);

  /// True when something was received that the socket does not show as readable any more.
  [[nodiscard]] bool has_received() const noexcept;

  /// Tells the peer, as far as the socket takes it now, that nothing more comes.
  void close_notify() noexcept;

 private:
  [[nodiscard]] Step judge(int code, std::size_t bytes) const;

  ssl_st* session_;
  int descriptor_;
};

/// The certificate and key that connections are answered with, read anew when their files change.
/// Thread-safe.
class Tls {
 public:
  /// PEM files; the certificate is followed by those that lead to its root.
  struct Files {
    std::filesystem::path certificate;
    std::filesystem::path key;
  };

  /// Told of each renewal: success, or why the files that changed cannot be used. Called by whoever
  /// asks for a session; must not call back.
  using OnRenewal = std::function<void(const Result<void>& renewed)>;

  /// Reads the files. `invalid_request` names the file that cannot be used and why.
  static Result<std::unique_ptr<Tls>> load(Files files, OnRenewal on_renewal);

  Tls(const Tls&) = delete;
  Tls& operator=(const Tls&) = delete;
  ~Tls();

  /// A session over an accepted socket; null when there is no memory for one. Looks for changed
  /// files at most once a second; files that cannot be used leave the old certificate in force.
  std::unique_ptr<TlsSession> session(int descriptor);

 private:
  using Context = std::shared_ptr<ssl_ctx_st>;
  struct Times {
    std::filesystem::file_time_type certificate;
    std::filesystem::file_time_type key;
    friend bool operator==(const Times&, const Times&) = default;
  };

  Tls(Files files, OnRenewal on_renewal);

  Result<Context> read_files() const;
  [[nodiscard]] Times times() const;
  Context current();

  const Files files_;
  const OnRenewal on_renewal_;
  std::mutex mutex_;
  Context context_;                                  // under mutex_
  Times read_at_;                                    // under mutex_; of the files last looked at
  std::chrono::steady_clock::time_point looked_at_;  // under mutex_
};

}  // namespace annals::server
