#pragma once

#include <memory>

namespace annals::log {

/// Marks that the calling thread has a unit of work of `owner` open, as long as the returned object
/// lives, on whatever thread it is released.
[[nodiscard]] std::shared_ptr<const void> mark_unit_open(const void* owner);

/// True when this thread has opened a unit of `owner` that still lives: waiting for the committer
/// would be waiting for itself.
[[nodiscard]] bool unit_open_on_this_thread(const void* owner);

}  // namespace annals::log
