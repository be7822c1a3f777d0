#include "server/feed.hpp"

#include <limits>
#include <memory>
#include <utility>

#include "wire/sse.hpp"

namespace annals::server {

namespace {

/// More than any control frame needs.
constexpr std::size_t control_bytes = 256;

}  // namespace

void SendQueue::push(Slice slice) {
  if (slice.bytes.empty()) return;
  bytes_ += slice.bytes.size();
  slices_.push_back(std::move(slice));
}

void SendQueue::push(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  const std::string_view bytes = *owner;
  push(Slice{std::move(owner), bytes});
}

void SendQueue::push_head(std::string head) {
  push(std::move(head));
  begun_ = true;
}

void SendQueue::consume(std::size_t count, const std::function<void(const Slice&)>& on_sent) {
  bytes_ -= count;
  auto first = slices_.begin();
  while (count > 0 && count >= first->bytes.size()) {
    count -= first->bytes.size();
    if (on_sent) on_sent(*first);
    ++first;
    begun_ = false;
  }
  if (count > 0) {
    first->bytes.remove_prefix(count);
    begun_ = true;
  }
  slices_.erase(slices_.begin(), first);
  if (slices_.empty()) std::vector<Slice>{}.swap(slices_);
}

void SendQueue::keep_begun() {
  slices_.resize(begun_ ? 1 : 0);
  bytes_ = 0;
  if (!begun_) return;
  std::string_view& first = slices_.front().bytes;
  constexpr std::string_view frame_end = "\n\n";
  const std::size_t end = first.find(frame_end);
  if (end != std::string_view::npos) first = first.substr(0, end + frame_end.size());
  bytes_ = first.size();
}

Feed::Feed(Selection selection, const wire::Position& position, std::uint64_t head,
           std::size_t checkpoint_every)
    : selection_(std::move(selection)),
      complete_(selection_.complete()),
      checkpoint_every_(checkpoint_every),
      cursor_(position.after),
      last_id_(position.after),
      start_head_(head),
      resync_(position.resync ? std::make_unique<const Resync>(*position.resync) : nullptr) {}

bool Feed::fill(const FrameCache& cache, SendQueue& queue) {
  if (resync_) {
    std::string frame;
    wire::append_sse_resync(frame, *resync_, cursor_);
    queue.push(std::move(frame));
    resync_.reset();
  }
  while (queue.room() >= control_bytes) {
    if (!page_ || page_->last() <= cursor_) page_.reset();
    if (!page_ && at_head(cache, queue)) return false;
    const FrameRunPtr run = page_ ? page_ : cache.find(cursor_);
    if (!run) return true;
    const std::uint64_t stop_at =
        complete_ ? std::numeric_limits<std::uint64_t>::max() : last_id_ + checkpoint_every_;
    auto taken = FrameRun::take(run, cursor_, selection_, {queue.room(), queue.empty()}, stop_at);
    cursor_ = taken.last;
    if (taken.slice.events != 0) last_id_ = taken.slice.last_event;
    queue.push(std::move(taken.slice));
    if (taken.full) return false;
    if (!complete_ && cursor_ - last_id_ >= checkpoint_every_) checkpoint(queue);
  }
  return false;
}

bool Feed::at_head(const FrameCache& cache, SendQueue& queue) {
  if (cursor_ < cache.head()) return false;
  if (!caught_up_ && cursor_ >= start_head_) {
    caught_up_ = true;
    last_id_ = cursor_;
    std::string frame;
    wire::append_sse_caught_up(frame, cursor_);
    queue.push(std::move(frame));
  }
  return true;
}

void Feed::take(StorePage page, SendQueue& queue) {
  if (page.oldest > cursor_ + 1) {
    std::string frame;
    wire::append_sse_resync(frame,
                            Resync{"expired", page.oldest, page.head, cursor_ + 1, page.oldest - 1},
                            page.oldest - 1);
    queue.push(std::move(frame));
    cursor_ = last_id_ = page.oldest - 1;
  }
  page_ = std::move(page.run);
}

void Feed::heartbeat(SendQueue& queue) {
  if (!complete_ && cursor_ != last_id_) {
    checkpoint(queue);
    return;
  }
  std::string frame;
  wire::append_sse_keepalive(frame);
  queue.push(std::move(frame));
}

void Feed::checkpoint(SendQueue& queue) {
  std::string frame;
  wire::append_sse_checkpoint(frame, cursor_);
  queue.push(std::move(frame));
  last_id_ = cursor_;
}

}  // namespace annals::server
