#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "annals/digest.hpp"
#include "annals/key.hpp"
#include "annals/result.hpp"
#include "annals/time.hpp"
#include "annals/uuid.hpp"

namespace annals::log {

/// A key with what its secret is compared with.
struct StoredKey {
  Key key;
  Digest secret_hash{};

  friend bool operator==(const StoredKey&, const StoredKey&) = default;
};

/// The first answer of a request under an Idempotency-Key.
struct StoredAnswer {
  Uuid key_id;
  std::string idempotency_key;
  Digest request_hash{};
  int status = 0;
  std::vector<std::uint64_t> seqs;
  Timestamp recorded_at;

  friend bool operator==(const StoredAnswer&, const StoredAnswer&) = default;
};

/// A producer's own reference of an event. `digest` is over key id and client_msg_id, so that the
/// table holds no text.
struct ClientMessage {
  Digest digest{};
  std::uint64_t seq = 0;
  Timestamp recorded_at;

  friend bool operator==(const ClientMessage&, const ClientMessage&) = default;
};

/// A stored catalogue document.
struct StoredCatalogue {
  std::string document;
  std::uint64_t version = 0;  ///< 0: none was ever applied; else the seq of its event.

  friend bool operator==(const StoredCatalogue&, const StoredCatalogue&) = default;
};

/// Reads of keys and catalogue. Thread-safe.
class AdminReader {
 public:
  virtual ~AdminReader() = default;

  /// All keys by time of creation, revoked ones included, the reserved local writer not.
  virtual Result<std::vector<StoredKey>> keys() = 0;
  virtual Result<std::optional<StoredKey>> key(const Uuid& key_id) = 0;
  virtual Result<StoredCatalogue> catalogue() = 0;
};

/// Administration inside a write transaction, on its thread.
class AdminWriter {
 public:
  virtual ~AdminWriter() = default;

  virtual Result<std::vector<StoredKey>> keys() = 0;
  /// Inserts, or replaces the row of the same key_id.
  virtual Result<void> put_key(const StoredKey& key) = 0;

  virtual Result<StoredCatalogue> catalogue() = 0;
  virtual Result<void> put_catalogue(const StoredCatalogue& catalogue) = 0;

  /// Sets `LogState::frozen`: whether appends are refused.
  virtual Result<void> set_frozen(bool frozen) = 0;

  virtual Result<std::optional<StoredAnswer>> answer(const Uuid& key_id,
                                                     std::string_view idempotency_key) = 0;
  virtual Result<void> put_answer(const StoredAnswer& answer) = 0;

  virtual Result<std::optional<ClientMessage>> client_message(const Digest& digest) = 0;
  /// Inserts, or replaces an expired one.
  virtual Result<void> put_client_message(const ClientMessage& message) = 0;

  /// Deletes answers and client messages recorded before `time`, at most `limit` of each.
  virtual Result<void> expire_requests(Timestamp time, std::size_t limit) = 0;
};

}  // namespace annals::log
