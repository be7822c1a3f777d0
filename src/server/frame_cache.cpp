#include "server/frame_cache.hpp"

#include <algorithm>
#include <utility>

namespace annals::server {

void FrameCache::push(FrameRunPtr run) {
  if (run->after() != head_) {
    runs_.clear();
    bytes_ = 0;
  }
  head_ = std::max(head_, run->last());
  bytes_ += run->bytes();
  runs_.push_back(std::move(run));
  while (!runs_.empty() && bytes_ > max_bytes_) {
    bytes_ -= runs_.front()->bytes();
    runs_.pop_front();
  }
}

void FrameCache::advance(std::uint64_t head) {
  if (head <= head_) return;
  head_ = head;
  runs_.clear();
  bytes_ = 0;
}

FrameRunPtr FrameCache::find(std::uint64_t cursor) const {
  if (runs_.empty() || cursor < runs_.front()->after() || cursor >= head_) return nullptr;
  const auto found = std::ranges::upper_bound(runs_, cursor, {},
                                              [](const FrameRunPtr& run) { return run->last(); });
  return found == runs_.end() ? nullptr : *found;
}

}  // namespace annals::server
