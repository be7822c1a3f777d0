#include "log/append/head_cache.hpp"

namespace annals::log {

std::optional<StreamHead> HeadCache::find(std::string_view stream) const {
  const auto found = by_name_.find(stream);
  if (found == by_name_.end()) return std::nullopt;
  return *found->second;
}

void HeadCache::put(const StreamHead& head) {
  if (capacity_ == 0) return;
  if (const auto found = by_name_.find(head.stream); found != by_name_.end()) {
    found->second->version = head.version;
    found->second->hash = head.hash;
    order_.splice(order_.begin(), order_, found->second);
    return;
  }
  if (by_name_.size() == capacity_) {
    by_name_.erase(order_.back().stream);
    order_.pop_back();
  }
  order_.push_front(head);
  by_name_.emplace(order_.front().stream, order_.begin());
}

void HeadCache::clear() noexcept {
  by_name_.clear();
  order_.clear();
}

}  // namespace annals::log
