#include "wire/sse.hpp"

#include "wire/resync.hpp"
#include "wire/text.hpp"

namespace annals::wire {

namespace {

void append_id(std::string& out, std::uint64_t id) {
  out += "id: ";
  append_number(out, id);
  out += '\n';
}

void begin_control(std::string& out, std::string_view name) {
  out += "event: ";
  out += name;
  out += '\n';
}

}  // namespace

void begin_sse_event(std::string& out, std::uint64_t seq) {
  append_id(out, seq);
  out += "data: ";
}

void end_sse_event(std::string& out) {
  out += "\n\n";
}

void append_sse_opening(std::string& out, std::uint64_t retry_ms) {
  out += "retry: ";
  append_number(out, retry_ms);
  out += "\n: annals\n\n";
}

void append_sse_keepalive(std::string& out) {
  out += ": keepalive\n\n";
}

void append_sse_checkpoint(std::string& out, std::uint64_t scanned) {
  begin_control(out, "checkpoint");
  append_id(out, scanned);
  out += "data: {";
  append_member(out, "scanned", scanned);
  out += "}\n\n";
}

void append_sse_caught_up(std::string& out, std::uint64_t head) {
  begin_control(out, "caught_up");
  append_id(out, head);
  out += "data: {";
  append_member(out, "head", head);
  out += "}\n\n";
}

void append_sse_resync(std::string& out, const Resync& resync, std::uint64_t rebase) {
  begin_control(out, "resync");
  append_id(out, rebase);
  out += "data: {";
  append_resync_members(out, resync);
  out += "}\n\n";
}

void append_sse_expiring(std::string& out, Timestamp expires_at) {
  begin_control(out, "expiring");
  out += "data: {";
  append_member(out, "expires_at", to_string(expires_at));
  out += "}\n\n";
}

void append_sse_revoked(std::string& out, std::string_view reason) {
  begin_control(out, "revoked");
  out += "data: {";
  append_member(out, "reason", reason);
  out += "}\n\n";
}

}  // namespace annals::wire
