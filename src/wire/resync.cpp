#include "wire/resync.hpp"

#include "wire/text.hpp"

namespace annals::wire {

void append_resync_members(std::string& out, const Resync& resync) {
  append_member(out, "reason", resync.reason);
  append_member(out, "oldest", resync.oldest);
  append_member(out, "head", resync.head);
  if (resync.lost_to == 0) return;
  append_member(out, "lost_from", resync.lost_from);
  append_member(out, "lost_to", resync.lost_to);
}

}  // namespace annals::wire
