#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "annals/record.hpp"

namespace annals::log {

/// Heads of the streams appended to most recently, for the committer. Holds only what a durable
/// commit confirmed; that a stream does not exist is never remembered. Used on one thread.
class HeadCache {
 public:
  /// `capacity` is the number of streams kept; 0 keeps none.
  explicit HeadCache(std::size_t capacity) : capacity_(capacity) {}

  [[nodiscard]] std::optional<StreamHead> find(std::string_view stream) const;

  /// Remembers a head after its commit and makes the stream the most recently appended one. The
  /// least recently appended stream goes when there are too many.
  void put(const StreamHead& head);

  /// Forgets everything: somebody else has appended, or a commit failed.
  void clear() noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return by_name_.size(); }

 private:
  using Order = std::list<StreamHead>;  ///< Most recently appended first.

  std::size_t capacity_;
  Order order_;
  std::unordered_map<std::string_view, Order::iterator> by_name_;  ///< Keys point into order_.
};

}  // namespace annals::log
