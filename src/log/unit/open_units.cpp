#include "log/unit/open_units.hpp"

#include <algorithm>
#include <vector>

namespace annals::log {

namespace {

struct Mark {
  const void* owner;
  std::weak_ptr<const void> alive;
};

std::vector<Mark>& marks_of_this_thread() {
  thread_local std::vector<Mark> marks;
  std::erase_if(marks, [](const Mark& mark) { return mark.alive.expired(); });
  return marks;
}

}  // namespace

std::shared_ptr<const void> mark_unit_open(const void* owner) {
  auto alive = std::make_shared<const char>();
  marks_of_this_thread().push_back({owner, alive});
  return alive;
}

bool unit_open_on_this_thread(const void* owner) {
  return std::ranges::any_of(marks_of_this_thread(),
                             [owner](const Mark& mark) { return mark.owner == owner; });
}

}  // namespace annals::log
