#include "log/verify/pipeline.hpp"

#include <algorithm>
#include <utility>

#include "core/placement.hpp"

namespace annals::log {

namespace {

/// After so many ranges in a row of which nothing can be read, the store counts as lost.
constexpr unsigned patience = 8;

constexpr std::size_t slots_per_thread = 4;

}  // namespace

std::optional<SeqRange> RangeDispenser::take() {
  if (exhausted()) return std::nullopt;
  constexpr std::uint64_t step = core::hash_mark_interval;
  const SeqRange range{next_, std::min(last_, (next_ + step - 1) / step * step)};
  next_ = range.last + 1;
  return range;
}

void RangeDispenser::skip_to(std::uint64_t seq) noexcept {
  next_ = std::max(next_, seq);
}

SeqRange RangeDispenser::give_up() noexcept {
  const SeqRange rest{next_, last_};
  next_ = last_ + 1;
  return rest;
}

RangePipeline::RangePipeline(EventReader& reader, const RangeSettings& settings, SeqRange whole,
                             unsigned threads)
    : reader_(reader),
      settings_(settings),
      max_slots_(slots_per_thread * threads),
      dispenser_(whole) {
  if (threads <= 1) {
    inline_reader_ = std::make_unique<RangeReader>(reader_, settings_);
    return;
  }
  threads_.reserve(threads);
  for (unsigned i = 0; i < threads; ++i)
    threads_.emplace_back([this] { work(); });
}

RangePipeline::~RangePipeline() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
}

std::optional<CheckedRange> RangePipeline::next() {
  std::unique_lock lock(mutex_);
  if (inline_reader_ && slots_.empty()) {
    const auto range = dispenser_.take();
    if (!range) return std::nullopt;
    slots_.push_back(std::make_unique<Slot>());
    finish(inline_reader_->read(*range), *slots_.back());
  }
  changed_.wait(lock, [this] {
    return slots_.empty() ? dispenser_.exhausted() : slots_.front()->done.has_value();
  });
  if (slots_.empty()) return std::nullopt;
  std::optional<CheckedRange> result = std::move(slots_.front()->done);
  slots_.pop_front();
  lock.unlock();
  changed_.notify_all();
  return result;
}

void RangePipeline::work() {
  RangeReader range_reader(reader_, settings_);
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(
        lock, [this] { return stopping_ || dispenser_.exhausted() || slots_.size() < max_slots_; });
    if (stopping_) return;
    const auto range = dispenser_.take();
    if (!range) return;
    slots_.push_back(std::make_unique<Slot>());
    Slot& slot = *slots_.back();
    lock.unlock();
    auto result = range_reader.read(*range);
    lock.lock();
    finish(std::move(result), slot);
    changed_.notify_all();
  }
}

void RangePipeline::finish(CheckedRange result, Slot& slot) {
  dispenser_.skip_to(result.next_seq);
  lost_ranges_ = result.lost() ? lost_ranges_ + 1 : 0;
  const std::string reason = result.lost() ? result.unreadable.back().reason : std::string{};
  slot.done = std::move(result);
  if (lost_ranges_ < patience || dispenser_.exhausted()) return;
  CheckedRange rest;
  rest.range = dispenser_.give_up();
  rest.unreadable.push_back({rest.range, reason});
  slots_.push_back(std::make_unique<Slot>(Slot{std::move(rest)}));
}

}  // namespace annals::log
