#pragma once

#include <string_view>

#include "annals/read.hpp"
#include "annals/result.hpp"
#include "log/ports/store.hpp"

namespace annals::log {

/// Reads a page of one stream. With `options.verify` every record is hashed and its link compared
/// with its predecessor, which is looked up when it lies before the page; the page ends before the
/// first break in reading order, and `breaks` says where it is. Records that the end of the stream
/// promises and that are missing are a break of reason `gap`, named by the first missing stream_seq
/// and the seq after which it is missing. What stands before an event whose predecessor has expired
/// is taken as given; `verify` looks at anchors.
///
/// Errors are the reader's. Thread-safe.
[[nodiscard]] Result<StreamPage> read_stream(EventReader& reader, std::string_view stream,
                                             const StreamReadOptions& options);

}  // namespace annals::log
