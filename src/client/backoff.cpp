#include "client/backoff.hpp"

#include <algorithm>
#include <cstdint>

namespace annals::client {

Backoff::Backoff(std::chrono::milliseconds first, std::chrono::milliseconds last)
    : first_(std::min(first, last)),
      last_(last),
      step_(first_),
      random_(std::random_device{}()) {}

std::chrono::milliseconds Backoff::next(std::chrono::milliseconds at_least) {
  std::uniform_int_distribution<std::int64_t> within(step_.count() / 2, step_.count());
  const std::chrono::milliseconds wait{within(random_)};
  step_ = std::min(last_, step_ * 2);
  return std::max(wait, at_least);
}

}  // namespace annals::client
