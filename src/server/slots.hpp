#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace annals::server {

/// A bounded number of places. Thread-safe; must outlive what it hands out.
class Slots {
 public:
  explicit Slots(std::size_t max) : max_(max) {}

  /// Takes a place, which is free again when the last copy of the result is gone. Null when there
  /// is none.
  [[nodiscard]] std::shared_ptr<void> take() {
    if (used_.fetch_add(1) >= max_) {
      used_.fetch_sub(1);
      return nullptr;
    }
    return {this, [this](void*) { used_.fetch_sub(1); }};
  }

  [[nodiscard]] std::size_t used() const noexcept { return used_.load(); }

 private:
  std::size_t max_;
  std::atomic<std::size_t> used_{0};
};

/// Holds two places as one.
[[nodiscard]] inline std::shared_ptr<void> both(std::shared_ptr<void> first,
                                                std::shared_ptr<void> second) {
  if (!second) return first;
  return std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(
      std::move(first), std::move(second));
}

}  // namespace annals::server
