#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "annals/log_state.hpp"
#include "annals/read.hpp"
#include "annals/record.hpp"
#include "core/placement.hpp"
#include "log/ports/admin_store.hpp"
#include "store/common/fair_gate.hpp"
#include "store/common/local_signal.hpp"

namespace annals::store {

/// Everything that a log consists of. Plain value.
struct MemoryData {
  std::optional<LogState> state;  ///< Absent until the log is made.
  std::map<std::uint64_t, Record> records;
  std::map<Uuid, std::uint64_t> ids;
  std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> stream_seqs;  ///< To seq.
  std::map<std::string, StreamHead, std::less<>> heads;
  std::vector<Gap> gaps;
  std::map<std::uint64_t, Digest> marks;
  std::map<Uuid, log::StoredKey> keys;
  log::StoredCatalogue catalogue;
  std::map<std::pair<Uuid, std::string>, log::StoredAnswer> answers;
  std::map<Digest, log::ClientMessage> client_messages;
};

/// A log that stores come and go over, like a file. Thread-safe.
class MemoryLog {
 public:
  /// Runs `body` on the committed data with nobody else near: what reads, commits and tests do.
  template <typename Body>
  auto with(Body&& body) {
    const std::lock_guard lock(mutex_);
    return std::forward<Body>(body)(data_);
  }

  /// Held by the one open write transaction.
  FairGate& gate() noexcept { return gate_; }

  LocalSignal& signal() noexcept { return signal_; }

 private:
  std::mutex mutex_;
  MemoryData data_;  ///< Protected by the mutex.
  FairGate gate_;
  LocalSignal signal_;
};

}  // namespace annals::store
