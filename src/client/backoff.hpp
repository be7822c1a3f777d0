#pragma once

#include <chrono>
#include <random>

namespace annals::client {

/// How long to wait before each attempt: doubles from a first time to a last one, at random between
/// a half and the whole of the step. Used on one thread.
class Backoff {
 public:
  Backoff(std::chrono::milliseconds first, std::chrono::milliseconds last);

  /// It worked: the next wait is the first one again.
  void reset() noexcept { step_ = first_; }

  /// The time to wait now, not less than asked for.
  std::chrono::milliseconds next(std::chrono::milliseconds at_least);

  [[nodiscard]] std::chrono::milliseconds last() const noexcept { return last_; }

 private:
  std::chrono::milliseconds first_;
  std::chrono::milliseconds last_;
  std::chrono::milliseconds step_;
  std::minstd_rand random_;
};

}  // namespace annals::client
