#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "annals/event.hpp"

namespace annals::bench {

/// How many streams the events of a measure are spread over, unless it says otherwise.
inline constexpr std::uint64_t usual_streams = 1000;

/// What every measure appends: 300 bytes of JSON, two labels (one of 100 values, one of 100,000), a
/// channel and one of `streams` streams. The same for the same number.
NewEvent sample_event(std::uint64_t number, std::uint64_t streams = usual_streams);

/// `count` of them from number `first` on.
std::vector<NewEvent> sample_events(std::uint64_t first, std::size_t count);

}  // namespace annals::bench
