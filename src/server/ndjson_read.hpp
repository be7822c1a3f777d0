#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "annals/result.hpp"
#include "server/access.hpp"
#include "server/plan.hpp"
#include "server/selection.hpp"
#include "server/service.hpp"

namespace annals::server {

/// What is sent: the selected events with `after < seq <= head`.
struct NdjsonScope {
  Caller caller;
  Selection selection;
  std::uint64_t after = 0;
  std::uint64_t head = 0;
  std::uint64_t limit = 0;  ///< Most lines.
};

/// Sends events as NDJSON, one a line. Workers read and encode a piece at a time; the next
/// is made while the last one is sent, and none while the peer does not take them, so that the
/// memory is the same however many events there are. An answer that cannot be completed breaks off.
/// Used on the connection's thread.
class NdjsonRead final : public AnswerStream, public std::enable_shared_from_this<NdjsonRead> {
 public:
  /// Starts reading. `service` must outlive it.
  static std::shared_ptr<NdjsonRead> begin(Service& service, NdjsonScope scope,
                                           std::shared_ptr<StreamOutput> output);

  /// Use `begin`.
  NdjsonRead(Service& service, NdjsonScope scope, std::shared_ptr<StreamOutput> output);

  void on_drained() override { go_on(); }
  void on_abort() override { detached_ = true; }

 private:
  /// What a worker has made.
  struct Piece {
    std::string lines;
    std::uint64_t events = 0;   ///< In `lines`.
    std::uint64_t scanned = 0;  ///< The last seq looked at.
    std::size_t next_read = 0;  ///< How many records to read for the next one.
  };

  void go_on();
  [[nodiscard]] Result<Piece> make(std::uint64_t after, std::uint64_t left, std::size_t read) const;
  [[nodiscard]] Result<Piece> select(const Selection& selection, std::uint64_t after,
                                     std::uint64_t left, std::size_t read) const;
  void take(Result<Piece> piece);

  Service& service_;
  const NdjsonScope scope_;
  const std::shared_ptr<StreamOutput> output_;
  std::uint64_t scanned_;  ///< The last seq looked at.
  std::uint64_t left_;     ///< Lines that may still be sent.
  std::size_t next_read_ = 100;
  bool making_ = false;
  bool detached_ = false;  ///< After the end or an abort: the output only posts.
};

}  // namespace annals::server
