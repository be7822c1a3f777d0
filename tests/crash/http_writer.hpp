#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "annals/uuid.hpp"
#include "testing/append_recorder.hpp"
#include "testing/http_client.hpp"
#include "testing/random.hpp"

namespace annals::test {

/// Lets clients wait for the next server instead of asking a dead one again and again. Thread-safe.
class Restarts {
 public:
  /// A new server can be reached.
  void announce();

  /// How many there have been.
  [[nodiscard]] std::uint64_t count() const;

  /// Waits until there were more than `seen`, at most for a second.
  void wait(std::uint64_t seen) const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::uint64_t count_ = 0;  // guarded by mutex_
};

/// One client that appends over HTTP to a server that may be killed at any moment. A request
/// without an answer is sent again, with the same ids, until there is one. Used on one thread.
class HttpWriter {
 public:
  /// Connects to `port` of this machine again and again. The others must outlive it.
  HttpWriter(std::uint16_t port, AppendRecorder& recorder, const Restarts& restarts,
             std::uint64_t seed);

  /// One request of 1 to 5 events, sent until it is answered. Throws std::runtime_error on an
  /// answer that no healthy server gives.
  void append();

  /// How many requests had to be sent again.
  [[nodiscard]] std::uint64_t repeated() const noexcept { return repeated_; }

 private:
  struct Request {
    std::vector<Uuid> ids;
    std::string body;
  };

  Request make_request();
  std::optional<HttpResponse> send_once(const std::string& body);

  std::uint16_t port_;
  AppendRecorder& recorder_;
  const Restarts& restarts_;
  Random random_;
  std::optional<HttpClient> connection_;
  std::uint64_t repeated_ = 0;
};

}  // namespace annals::test
