#include "annals/open.hpp"

#include <utility>

#include "open/make_store.hpp"

namespace annals {

Result<std::unique_ptr<EventLog>> open(std::string_view url, OpenOptions options) {
  auto store = make_store(url, options);
  if (!store) return std::unexpected(std::move(store.error()));
  auto log = std::make_unique<EventLog>(std::move(*store), std::move(options.log));
  auto opened = options.create ? log->open() : log->open_existing();
  if (!opened) {
    return std::unexpected(std::move(opened.error()));
  }
  return log;
}

}  // namespace annals
