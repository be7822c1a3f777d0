#include "log/append/key_lanes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace annals::log {

void KeyLanes::push(PendingAppend pending) {
  events_ += pending.request.drafts.size();
  answered_ += pending.queued ? 1 : 0;
  lanes_[pending.request.key_id].push_back(std::move(pending));
}

void KeyLanes::push_front(PendingAppend pending) {
  events_ += pending.request.drafts.size();
  answered_ += pending.queued ? 1 : 0;
  lanes_[pending.request.key_id].push_front(std::move(pending));
}

KeyLanes::Lanes::iterator KeyLanes::lane_of_lowest() {
  return std::ranges::min_element(lanes_, {},
                                  [](const auto& lane) { return lane.second.front().ticket; });
}

std::uint64_t KeyLanes::lowest_ticket() const {
  std::uint64_t lowest = lanes_.begin()->second.front().ticket;
  for (const auto& [key, lane] : lanes_)
    lowest = std::min(lowest, lane.front().ticket);
  return lowest;
}

KeyLanes::Lanes::iterator KeyLanes::after(Lanes::iterator lane) {
  const auto next = std::next(lane);
  return next == lanes_.end() ? lanes_.begin() : next;
}

PendingAppend& KeyLanes::first() {
  const auto lane = lane_of_lowest();
  chosen_ = lane->first;
  return lane->second.front();
}

PendingAppend& KeyLanes::next_in_turn() {
  auto lane = lanes_.upper_bound(turn_);
  if (lane == lanes_.end()) lane = lanes_.begin();
  const auto lowest = lowest_ticket();
  while (lane->second.front().request.critical && answered_ > 0 &&
         lane->second.front().ticket != lowest) {
    lane = after(lane);
  }
  chosen_ = lane->first;
  return lane->second.front();
}

PendingAppend KeyLanes::take() {
  const auto lane = lanes_.find(chosen_);
  PendingAppend taken = std::move(lane->second.front());
  lane->second.pop_front();
  if (lane->second.empty()) lanes_.erase(lane);
  events_ -= taken.request.drafts.size();
  answered_ -= taken.queued ? 1 : 0;
  turn_ = chosen_;
  return taken;
}

std::optional<PendingAppend> KeyLanes::take_expired(std::chrono::steady_clock::time_point now) {
  const auto lane = std::ranges::find_if(
      lanes_, [now](const auto& entry) { return entry.second.front().deadline <= now; });
  if (lane == lanes_.end()) return std::nullopt;
  const auto turn = turn_;
  chosen_ = lane->first;
  auto taken = take();
  turn_ = turn;
  return taken;
}

}  // namespace annals::log
