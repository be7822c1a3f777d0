#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "annals/append.hpp"
#include "annals/append_stream.hpp"
#include "annals/client_answers.hpp"
#include "annals/event.hpp"
#include "annals/follow.hpp"
#include "annals/read.hpp"
#include "annals/result.hpp"
#include "annals/uuid.hpp"
#include "annals/verify.hpp"

namespace annals {

/// Which server, with which credentials, and how long to wait. Plain value.
struct ClientOptions {
  /// `http://` or `https://`, host, port, and the path of a proxy if any. Never a key.
  std::string url = "http://127.0.0.1:7420";
  std::string api_key;  ///< Sent as `X-API-Key`; empty: none.
  /// PEM file with the certificates trusted for `https`; empty: those of the system.
  std::string ca_file;

  std::chrono::milliseconds connect_timeout{10'000};  ///< For a connection, TLS included.
  std::chrono::milliseconds answer_timeout{60'000};   ///< Longest silence while one is awaited.
  std::chrono::milliseconds verify_timeout{600'000};  ///< The same for `verify_stream`.

  /// How long an append whose answer was lost is repeated, with the same ids.
  std::chrono::milliseconds append_patience{10'000};
};

/// Which page of a log is asked for.
struct PageQuery {
  std::optional<std::uint64_t> after;    ///< Strictly after it; absent: `from`, or the oldest.
  std::string from;                      ///< `oldest`, `latest` or an RFC 3339 time.
  std::optional<std::uint64_t> before;   ///< Backward: strictly before it; absent: the newest.
  std::size_t limit = 100;               ///< Most events.
  Order order = Order::forward;          ///< Direction.
  Filters filters;                       ///< What to leave out.
  std::chrono::milliseconds wait{0};     ///< Hold an empty page back for so long.
  std::optional<std::uint64_t> min_seq;  ///< Answer when the log has got this far.
};

/// The exact bytes of one part of an event.
enum class Form : std::uint8_t { header, meta, payload };

/// A log behind a server, over HTTP. Every call blocks. Errors are those of the server, with its
/// details; `store_unavailable` when it cannot be reached or breaks off, `invalid_request` when
/// what answers is no Annals server or its certificate is not trusted. One connection is kept
/// between calls. Used by one thread at a time; followers and append streams have their own
/// connections.
class Client {
 public:
  /// Checks the options and loads the certificates; connects to nothing. `invalid_request` names
  /// what is wrong.
  static Result<Client> create(ClientOptions options);

  Client(const Client&) = delete;
  Client(Client&&) noexcept;
  Client& operator=(const Client&) = delete;
  Client& operator=(Client&&) noexcept;
  ~Client();

  // --- Appending

  /// Appends events as one request, all or nothing. Without an idempotency key, events without an
  /// id get one, so that a request whose answer is lost can be repeated, for `append_patience`: it
  /// is stored once. Then `commit_unknown`: to go on repeating, give the events ids of your own. An
  /// expected version stands with the first event of its stream; one of a stream without events is
  /// `invalid_request`, as is `Overflow::drop`.
  Result<AppendResult> append(std::vector<NewEvent> events, const AppendOptions& options = {});
  /// The same for one event.
  Result<AppendResult> append(NewEvent event, const AppendOptions& options = {});

  /// Appends a document of one event or an array as the text it is. It is repeated only under an
  /// idempotency key.
  Result<DocumentResult> append_document(std::string_view json, const AppendOptions& options = {});

  /// Begins to append events one by one, see `AppendStream`. `traceparent` is that of all.
  Result<std::unique_ptr<AppendStream>> append_stream(std::optional<std::string> traceparent = {});

  // --- Reading

  /// A page of the log.
  Result<EnvelopePage> read(const PageQuery& query);
  /// One event by its number; `not_found`.
  Result<Envelope> find(std::uint64_t seq);
  /// One event by its id; `not_found`.
  Result<Envelope> find(const Uuid& id);
  /// The exact bytes that are hashed, with `hashed` behind the previous hash or the salt.
  Result<std::string> form(std::uint64_t seq, Form form, bool hashed = false);
  /// The same by id.
  Result<std::string> form(const Uuid& id, Form form, bool hashed = false);

  /// Streams whose name begins with `prefix`, after the name `after`.
  Result<StreamList> streams(std::string_view prefix, std::string_view after, std::size_t limit);
  /// The head of one stream; `not_found`.
  Result<StreamHead> stream(std::string_view name);
  /// A page of one stream, by its own numbers; `options.verify` is left to `verify_stream`.
  Result<StreamEnvelopes> stream_events(std::string_view name, const StreamReadOptions& options);
  /// What the server says of one chain after having computed it again.
  Result<VerifyReport> verify_stream(std::string_view name);

  /// What the server says of itself and its log.
  Result<ServerInfo> info();

  /// A reader that goes on until it is let go; connects with its first `next`.
  [[nodiscard]] Follower follow(FollowOptions options) const;

 private:
  class Impl;
  explicit Client(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace annals
