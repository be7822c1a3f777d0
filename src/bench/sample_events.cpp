#include "bench/sample_events.hpp"

#include <string>

namespace annals::bench {

NewEvent sample_event(std::uint64_t number, std::uint64_t streams) {
  constexpr std::size_t payload_bytes = 300;
  constexpr std::string_view end = "\"}";
  NewEvent event;
  event.type = "order.paid";
  event.stream = "order-" + std::to_string(number * 7919 % streams);
  event.scope.channel_id = "channel-" + std::to_string(number * 31 % 1000);
  event.labels = {{"country", "c" + std::to_string(number % 100)},
                  {"customer", "k" + std::to_string(number * 48271 % 100'000)}};
  event.payload = R"({"number":)" + std::to_string(number) + R"(,"text":")";
  event.payload.append(payload_bytes - end.size() - event.payload.size(),
                       static_cast<char>('a' + number % 26));
  event.payload += end;
  return event;
}

std::vector<NewEvent> sample_events(std::uint64_t first, std::size_t count) {
  std::vector<NewEvent> events;
  events.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    events.push_back(sample_event(first + i));
  return events;
}

}  // namespace annals::bench
