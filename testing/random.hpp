#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <random>
#include <utility>

namespace annals::test {

/// A seeded source of random choices; the same seed gives the same choices on every machine, which
/// the distributions of the standard library do not promise. Used on one thread.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// 64 random bits.
  std::uint64_t bits() { return engine_(); }

  /// 0 to `bound - 1`; `bound` must not be 0. The bias is below 2^-32 for any bound a test uses.
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }

  /// `low` to `high`, both included.
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + below(high - low + 1);
  }

  /// True in `percent` of 100 cases.
  bool chance(unsigned percent) { return below(100) < percent; }

  /// One element of a container or array that is not empty.
  template <typename Container>
  auto& pick(Container& from) {
    return from[static_cast<std::size_t>(below(std::size(from)))];
  }
  template <typename Value>
  Value pick(std::initializer_list<Value> from) {
    return std::data(from)[below(from.size())];
  }

  /// Every order is equally likely.
  template <typename Container>
  void shuffle(Container& items) {
    for (std::size_t left = std::size(items); left > 1; --left) {
      std::swap(items[left - 1], items[static_cast<std::size_t>(below(left))]);
    }
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace annals::test
