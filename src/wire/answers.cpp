#include "wire/answers.hpp"

#include <algorithm>
#include <utility>

#include "annals/digest.hpp"
#include "annals/time.hpp"
#include "annals/uuid.hpp"
#include "wire/problem.hpp"
#include "wire/text.hpp"

namespace annals::wire {

namespace {

void append_warnings(std::string& out, std::span<const Warning> warnings) {
  append_name(out, "warnings");
  out += '[';
  for (const Warning& warning : warnings) {
    if (out.back() != '[') out += ',';
    out += '{';
    append_member(out, "pointer", warning.pointer);
    append_member(out, "rule", warning.rule);
    append_member(out, "message", warning.message);
    out += '}';
  }
  out += ']';
}

void append_event_members(std::string& out, const AppendedEvent& event, bool durable) {
  if (durable) append_member(out, "seq", event.seq);
  append_member(out, "id", to_string(event.id));
  if (event.stream_seq) append_member(out, "stream_seq", *event.stream_seq);
  if (durable) append_member(out, "hash", to_hex(event.hash));
  if (event.client_msg_id) append_member(out, "client_msg_id", *event.client_msg_id);
  if (event.duplicate) append_true(out, "duplicate");
  if (event.redacted) append_true(out, "redacted");
  if (!event.warnings.empty()) append_warnings(out, event.warnings);
}

void append_receipt(std::string& out, const AppendResult& result) {
  if (!result.durable) {
    append_name(out, "durable");
    out += "false";
    return;
  }
  append_member(out, "head", result.receipt.head);
  append_member(out, "log_hash", to_hex(result.receipt.log_hash));
}

void append_single_members(std::string& out, const AppendResult& result) {
  append_event_members(out, result.events.front(), result.durable);
  append_receipt(out, result);
}

void append_limits(std::string& out, const LogInfo& info) {
  append_name(out, "limits");
  out += '{';
  append_member(out, "payload_max_bytes", info.events.payload_max_bytes);
  append_member(out, "envelope_max_bytes", info.events.envelope_max_bytes);
  append_member(out, "request_max_bytes", info.append.request_max_bytes);
  append_member(out, "request_max_events", info.append.request_max_events);
  append_member(out, "page_max_events", info.page_max);
  append_member(out, "page_max_scan", info.page_max_scan);
  append_member(out, "wait_max_ms", info.wait_max_ms);
  out += '}';
}

void append_versions(std::string& out, const LogInfo& info) {
  append_name(out, "versions");
  out += '{';
  append_member(out, "annals", info.version);
  append_member(out, "record", std::uint64_t{1});
  append_member(out, "store", info.store_version);
  append_member(out, "schema", static_cast<std::uint64_t>(info.schema_version));
  out += '}';
}

Result<void> append_events(std::string& out, std::span<const Record> records, Rendering rendering,
                           Format format) {
  append_name(out, "events");
  out += '[';
  for (const Record& record : records) {
    if (out.back() != '[') out += ',';
    if (auto appended = append_event(out, record, rendering, format); !appended) return appended;
  }
  out += ']';
  return {};
}

/// Where the pages beside this one begin.
void append_places(std::string& out, const PageEnd& end) {
  append_member(out, "next_after", end.next_after);
  if (end.next_before) append_member(out, "next_before", *end.next_before);
}

void append_finding(std::string& out, const Finding& finding) {
  out += '{';
  append_name(out, "verdict");
  append_any_string(out, finding.verdict);
  const auto text = [&out](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    append_name(out, name);
    append_any_string(out, value);
  };
  text("what", finding.what);
  text("stream", finding.stream);
  if (finding.seq != 0) append_member(out, "seq", finding.seq);
  text("expected", finding.expected);
  text("actual", finding.actual);
  out += '}';
}

}  // namespace

std::string append_answer(const AppendResult& result) {
  std::string out = "{";
  append_single_members(out, result);
  out += '}';
  return out;
}

std::string batch_answer(const AppendResult& result) {
  std::string out = "{";
  append_name(out, "events");
  out += '[';
  for (const AppendedEvent& event : result.events) {
    if (out.back() != '[') out += ',';
    out += '{';
    append_event_members(out, event, result.durable);
    out += '}';
  }
  out += ']';
  append_receipt(out, result);
  if (result.duplicate) append_true(out, "duplicate");
  out += '}';
  return out;
}

std::string line_answer(std::uint64_t line, const Result<AppendResult>& result) {
  std::string out = "{";
  append_member(out, "line", line);
  if (result) {
    append_single_members(out, *result);
  } else {
    append_problem_members(out, result.error());
  }
  out += "}\n";
  return out;
}

std::string log_answer(const LogInfo& info) {
  const LogState& state = info.state;
  std::string out = "{";
  append_member(out, "log_id", to_string(state.log_id));
  append_member(out, "incarnation", state.incarnation);
  append_member(out, "head", state.event_seq);
  append_member(out, "log_hash", to_hex(state.log_hash));
  append_member(out, "oldest", state.oldest);
  append_member(out, "permission_version", state.permission_version);
  if (state.frozen) append_true(out, "frozen");
  append_member(out, "store", info.store);
  append_member(out, "durability", info.durability);
  if (info.open_mode) append_true(out, "open_mode");
  append_limits(out, info);
  append_versions(out, info);
  out += '}';
  return out;
}

Result<std::string> page_answer(std::span<const Record> records, Rendering rendering,
                                const PageEnd& end, Format format) {
  std::string out = "{";
  if (const auto events = append_events(out, records, rendering, format); !events) {
    return std::unexpected(events.error());
  }
  append_places(out, end);
  append_member(out, "head", end.head);
  append_member(out, "oldest", end.oldest);
  append_member(out, "log_id", to_string(end.log_id));
  append_name(out, "caught_up");
  out += end.caught_up ? "true}" : "false}";
  return out;
}

std::string stream_answer(const StreamHead& head) {
  std::string out = "{";
  append_member(out, "stream", head.stream);
  append_member(out, "version", head.version);
  append_member(out, "hash", to_hex(head.hash));
  out += '}';
  return out;
}

std::string streams_answer(std::span<const StreamHead> heads, bool ended) {
  std::string out = "{";
  append_name(out, "streams");
  out += '[';
  for (const StreamHead& head : heads) {
    if (out.back() != '[') out += ',';
    out += stream_answer(head);
  }
  out += ']';
  if (!ended && !heads.empty()) append_member(out, "next_after", heads.back().stream);
  out += '}';
  return out;
}

Result<std::string> stream_page_answer(std::string_view stream, std::span<const Record> records,
                                       Rendering rendering, const PageEnd& end) {
  std::string out = "{";
  append_member(out, "stream", stream);
  append_member(out, "version", end.head);
  if (const auto events = append_events(out, records, rendering, Format::envelope); !events) {
    return std::unexpected(events.error());
  }
  append_places(out, end);
  out += '}';
  return out;
}

std::string_view to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::clean:
      return "clean";
    case Verdict::findings:
      return "findings";
    case Verdict::could_not_verify:
      return "could_not_verify";
  }
  return "could_not_verify";
}

Verdict verdict_of(const VerifyReport& report) noexcept {
  if (report.clean()) return Verdict::clean;
  const bool found = std::ranges::any_of(report.findings, [](const Finding& finding) {
    return finding.verdict != "could_not_verify";
  });
  return found ? Verdict::findings : Verdict::could_not_verify;
}

std::string verify_answer(const VerifyReport& report) {
  std::string out = "{";
  append_member(out, "verdict", to_string(verdict_of(report)));
  append_member(out, "events", report.events);
  append_member(out, "verified", report.verified);
  append_member(out, "redacted", report.redacted);
  append_member(out, "chained", report.chained);
  append_member(out, "unchained", report.unchained);
  append_member(out, "streams", report.streams);
  append_member(out, "head", report.head);
  append_member(out, "log_hash", to_hex(report.log_hash));
  append_member(out, "finding_count", report.finding_count);
  append_name(out, "findings");
  out += '[';
  for (const Finding& finding : report.findings) {
    if (out.back() != '[') out += ',';
    append_finding(out, finding);
  }
  out += "]}";
  return out;
}

}  // namespace annals::wire
