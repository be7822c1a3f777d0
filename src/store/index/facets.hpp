#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "annals/filter.hpp"
#include "annals/record.hpp"

namespace annals::store::index {

/// What events are found by: a hash of a member's name and value. The same in every process and
/// version. Equal members have equal keys; different ones rarely do, so that what is found by a key
/// is compared with the event.
using FacetKey = std::uint32_t;

/// The keys of an event, appended to `out`; each may be there more than once.
void append_keys(std::vector<FacetKey>& out, const Header& header, const Meta& meta);

/// Keys that every match of a filter has. Empty when no member of the filter is indexed: times are
/// not, since they ascend with seq.
[[nodiscard]] std::vector<FacetKey> keys_of(const Filter& filter);

/// The key of all events of a stream.
[[nodiscard]] FacetKey stream_key(std::string_view stream);

}  // namespace annals::store::index
