#include "server/tls.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace annals::server {

namespace {

constexpr std::chrono::seconds look_interval{1};

int descriptor_of(BIO* bio) {
  return *static_cast<const int*>(BIO_get_data(bio));
}

bool would_block() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

int bio_read(BIO* bio, char* out, int size) {
  BIO_clear_retry_flags(bio);
  const auto bytes = ::recv(descriptor_of(bio), out, static_cast<std::size_t>(size), MSG_DONTWAIT);
  if (bytes < 0 && would_block()) BIO_set_retry_read(bio);
  return static_cast<int>(bytes);
}

// OpenSSL's own socket BIO writes without MSG_NOSIGNAL: a peer that is gone would end the process.
int bio_write(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const auto sent = ::send(descriptor_of(bio), bytes, static_cast<std::size_t>(size),
                           MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && would_block()) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

long bio_control(BIO* /*bio*/, int command, long /*number*/, void* /*pointer*/) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD* socket_bio() {
  static BIO_METHOD* const method = [] {
    auto* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    if (made == nullptr) return made;
    BIO_meth_set_read(made, bio_read);
    BIO_meth_set_write(made, bio_write);
    BIO_meth_set_ctrl(made, bio_control);
    return made;
  }();
  return method;
}

std::unexpected<Error> unusable(const std::filesystem::path& file) {
  std::array<char, 256> reason{};
  ERR_error_string_n(ERR_peek_last_error(), reason.data(), reason.size());
  ERR_clear_error();
  return fail(ErrorCode::invalid_request,
              "the file " + file.string() + " cannot be used for TLS: " + reason.data());
}

/// HTTP/1.1 is all that is spoken. A client that offers nothing of ours is let in all the same.
int choose_protocol(SSL* /*session*/, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* offered, unsigned offered_size, void* /*unused*/) {
  static constexpr std::array<unsigned char, 9> ours{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* chosen = nullptr;
  const int found =
      SSL_select_next_proto(&chosen, out_size, ours.data(), ours.size(), offered, offered_size);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

TlsSession::TlsSession(ssl_st* session, int descriptor)
    : session_(session),
      descriptor_(descriptor) {
  BIO* bio = BIO_new(socket_bio());
  if (bio == nullptr) return;
  BIO_set_data(bio, &descriptor_);
  BIO_set_init(bio, 1);
  SSL_set_bio(session_, bio, bio);
  SSL_set_accept_state(session_);
}

TlsSession::~TlsSession() {
  SSL_free(session_);
}

TlsSession::Step TlsSession::judge(int code, std::size_t bytes) const {
  if (code > 0) return {Outcome::done, bytes};
  switch (SSL_get_error(session_, code)) {
    case SSL_ERROR_WANT_READ:
      return {Outcome::wants_read};
    case SSL_ERROR_WANT_WRITE:
      return {Outcome::wants_write};
    case SSL_ERROR_ZERO_RETURN:
      return {Outcome::closed};
    default:
      return {Outcome::failed};
  }
}

TlsSession::Step TlsSession::read(std::span<char> out) {
  ERR_clear_error();
  std::size_t bytes = 0;
  const int code = SSL_read_ex(session_, out.data(), out.size(), &bytes);
  return judge(code, bytes);
}

TlsSession::Step TlsSession::peek() {
  ERR_clear_error();
  char next = 0;
  std::size_t bytes = 0;
  const int code = SSL_peek_ex(session_, &next, sizeof next, &bytes);
  return judge(code, bytes);
}

TlsSession::Step TlsSession::write(std::string_view bytes) {
  ERR_clear_error();
  std::size_t written = 0;
  const int code = SSL_write_ex(session_, bytes.data(), bytes.size(), &written);
  return judge(code, written);
}

bool TlsSession::has_received() const noexcept {
  // Not SSL_has_pending: that counts the beginning of a record whose rest is still to come.
  return SSL_pending(session_) > 0;
}

void TlsSession::close_notify() noexcept {
  ERR_clear_error();
  if (SSL_is_init_finished(session_) == 1) (void)SSL_shutdown(session_);
  ERR_clear_error();
}

Tls::Tls(Files files, OnRenewal on_renewal)
    : files_(std::move(files)),
      on_renewal_(std::move(on_renewal)) {}

Tls::~Tls() = default;

Result<std::unique_ptr<Tls>> Tls::load(Files files, OnRenewal on_renewal) {
  std::unique_ptr<Tls> made(new Tls(std::move(files), std::move(on_renewal)));
  made->read_at_ = made->times();
  auto context = made->read_files();
  if (!context) return std::unexpected(std::move(context.error()));
  made->context_ = *std::move(context);
  made->looked_at_ = std::chrono::steady_clock::now();
  return made;
}

Result<Tls::Context> Tls::read_files() const {
  ERR_clear_error();
  Context context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context) return fail(ErrorCode::internal, "no memory for TLS");
  SSL_CTX* raw = context.get();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(raw, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                            SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_alpn_select_cb(raw, choose_protocol, nullptr);
  if (SSL_CTX_use_certificate_chain_file(raw, files_.certificate.c_str()) != 1) {
    return unusable(files_.certificate);
  }
  if (SSL_CTX_use_PrivateKey_file(raw, files_.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(raw) != 1) {
    return unusable(files_.key);
  }
  return context;
}

Tls::Times Tls::times() const {
  std::error_code ignored;
  return {std::filesystem::last_write_time(files_.certificate, ignored),
          std::filesystem::last_write_time(files_.key, ignored)};
}

Tls::Context Tls::current() {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_at_ < look_interval) return context_;
  looked_at_ = now;
  const Times changed = times();
  if (changed == read_at_) return context_;
  read_at_ = changed;
  auto context = read_files();
  if (context) {
    context_ = *std::move(context);
    if (on_renewal_) on_renewal_({});
  } else if (on_renewal_) {
    on_renewal_(std::unexpected(std::move(context.error())));
  }
  return context_;
}

std::unique_ptr<TlsSession> Tls::session(int descriptor) {
  const Context context = current();
  SSL* session = SSL_new(context.get());
  if (session == nullptr) return nullptr;
  return std::make_unique<TlsSession>(session, descriptor);
}

}  // namespace annals::server
