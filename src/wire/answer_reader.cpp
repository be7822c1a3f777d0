#include "wire/answer_reader.hpp"

#include <string>
#include <utility>
#include <vector>

#include "core/json.hpp"
#include "wire/envelope_reader.hpp"
#include "wire/json_values.hpp"
#include "wire/problem_reader.hpp"

namespace annals::wire {

namespace {

using core::json::Reader;

bool read_warning(Reader& reader, std::vector<Warning>& out) {
  Warning warning;
  const bool read = read_object(reader, [&](const std::string& name) {
    if (name == "pointer") return read_value(reader, warning.pointer);
    if (name == "rule") return read_value(reader, warning.rule);
    if (name == "message") return read_value(reader, warning.message);
    return true;
  });
  out.push_back(std::move(warning));
  return read;
}

bool read_event_member(Reader& reader, const std::string& name, AppendedEvent& out) {
  if (name == "seq") return read_value(reader, out.seq);
  if (name == "id") return read_value(reader, out.id);
  if (name == "stream_seq") return read_value(reader, out.stream_seq);
  if (name == "hash") return read_value(reader, out.hash);
  if (name == "client_msg_id") return read_value(reader, out.client_msg_id);
  if (name == "duplicate") return read_value(reader, out.duplicate);
  if (name == "redacted") return read_value(reader, out.redacted);
  if (name == "warnings") {
    return read_array(reader, [&] { return read_warning(reader, out.warnings); });
  }
  return true;
}

/// The members of an answer that stand beside those of its events.
bool read_result_member(Reader& reader, const std::string& name, AppendResult& out) {
  if (name == "durable") return read_value(reader, out.durable);
  if (name == "head") return read_value(reader, out.receipt.head);
  if (name == "log_hash") return read_value(reader, out.receipt.log_hash);
  return true;
}

bool is_result_member(const std::string& name) {
  return name == "durable" || name == "head" || name == "log_hash";
}

bool complete(const AppendResult& result) {
  for (const AppendedEvent& event : result.events) {
    if (event.id.is_nil() || (result.durable && event.seq == 0)) return false;
  }
  return !result.events.empty();
}

bool read_envelopes(Reader& reader, std::vector<Envelope>& out) {
  return read_array(reader, [&] { return read_envelope(reader, out.emplace_back()); });
}

bool read_head(Reader& reader, StreamHead& out) {
  return read_object(reader, [&](const std::string& name) {
    if (name == "stream") return read_value(reader, out.stream);
    if (name == "version") return read_value(reader, out.version);
    if (name == "hash") return read_value(reader, out.hash);
    return true;
  });
}

bool read_finding(Reader& reader, std::vector<Finding>& out) {
  Finding finding;
  const bool read = read_object(reader, [&](const std::string& name) {
    if (name == "verdict") return read_value(reader, finding.verdict);
    if (name == "what") return read_value(reader, finding.what);
    if (name == "stream") return read_value(reader, finding.stream);
    if (name == "seq") return read_value(reader, finding.seq);
    if (name == "expected") return read_value(reader, finding.expected);
    if (name == "actual") return read_value(reader, finding.actual);
    return true;
  });
  out.push_back(std::move(finding));
  return read;
}

bool read_info_parts(Reader& reader, const std::string& name, ServerInfo& out) {
  if (name == "versions") {
    return read_object(reader, [&](const std::string& part) {
      return part != "annals" || read_value(reader, out.version);
    });
  }
  if (name != "limits") return true;
  return read_object(reader, [&](const std::string& limit) {
    if (limit == "request_max_bytes") return read_value(reader, out.request_max_bytes);
    if (limit == "request_max_events") return read_value(reader, out.request_max_events);
    if (limit == "page_max_events") return read_value(reader, out.page_max_events);
    return true;
  });
}

/// Reads a whole text as an object; `take(reader, name)` reads its members.
template <typename Take>
bool read_text(std::string_view json, Take take) {
  Reader reader(json);
  return read_object(reader, [&](const std::string& name) { return take(reader, name); }) &&
         reader.finish();
}

}  // namespace

std::optional<AppendResult> read_append_answer(std::string_view json) {
  AppendResult out;
  AppendedEvent& event = out.events.emplace_back();
  const bool read = read_text(json, [&](Reader& reader, const std::string& name) {
    return is_result_member(name) ? read_result_member(reader, name, out)
                                  : read_event_member(reader, name, event);
  });
  out.duplicate = event.duplicate;
  if (!read || !complete(out)) return std::nullopt;
  return out;
}

std::optional<AppendResult> read_batch_answer(std::string_view json) {
  AppendResult out;
  const bool read = read_text(json, [&](Reader& reader, const std::string& name) {
    if (name == "duplicate") return read_value(reader, out.duplicate);
    if (name != "events") return read_result_member(reader, name, out);
    return read_array(reader, [&] {
      AppendedEvent& event = out.events.emplace_back();
      return read_object(reader, [&](const std::string& member) {
        return read_event_member(reader, member, event);
      });
    });
  });
  if (!read || !complete(out)) return std::nullopt;
  return out;
}

std::optional<LineAnswer> read_line_answer(std::string_view json) {
  std::uint64_t line = 0;
  ProblemReader problem;
  const bool read = read_text(json, [&](Reader& reader, const std::string& name) {
    return name == "line" ? read_value(reader, line) : problem.read(reader, name);
  });
  if (!read || line == 0) return std::nullopt;
  if (auto error = std::move(problem).error()) {
    return LineAnswer{line, std::unexpected(std::move(*error))};
  }
  auto result = read_append_answer(json);
  if (!result) return std::nullopt;
  return LineAnswer{line, std::move(*result)};
}

std::optional<EnvelopePage> read_page_answer(std::string_view json) {
  EnvelopePage out;
  const bool read = read_text(json, [&](Reader& reader, const std::string& name) {
    if (name == "events") return read_envelopes(reader, out.events);
    if (name == "next_after") return read_value(reader, out.next_after);
    if (name == "next_before") return read_value(reader, out.next_before);
    if (name == "head") return read_value(reader, out.head);
    if (name == "oldest") return read_value(reader, out.oldest);
    if (name == "log_id") return read_value(reader, out.log_id);
    if (name == "caught_up") return read_value(reader, out.caught_up);
    return true;
  });
  if (!read || out.log_id.is_nil()) return std::nullopt;
  return out;
}

std::optional<StreamEnvelopes> read_stream_page_answer(std::string_view json) {
  StreamEnvelopes out;
  const bool read = read_text(json, [&](Reader& reader, const std::string& name) {
    if (name == "events") return read_envelopes(reader, out.events);
    if (name == "version") return read_value(reader, out.version);
    if (name == "next_after") return read_value(reader, out.next_after);
    if (name == "next_before") return read_value(reader, out.next_before);
    return true;
  });
  if (!read || out.version == 0) return std::nullopt;
  return out;
}

std::optional<StreamHead> read_stream_answer(std::string_view json) {
  Reader reader(json);
  StreamHead out;
  if (!read_head(reader, out) || !reader.finish() || out.version == 0) return std::nullopt;
  return out;
}

std::optional<StreamList> read_streams_answer(std::string_view json) {
  StreamList out;
  bool listed = false;
  const bool read = read_text(json, [&](Reader& reader, const std::string& name) {
    if (name == "next_after") return read_value(reader, out.next_after);
    if (name != "streams") return true;
    listed = true;
    return read_array(reader, [&] { return read_head(reader, out.streams.emplace_back()); });
  });
  if (!read || !listed) return std::nullopt;
  return out;
}

std::optional<ServerInfo> read_log_answer(std::string_view json) {
  ServerInfo out;
  const bool read = read_text(json, [&](Reader& reader, const std::string& name) {
    if (name == "log_id") return read_value(reader, out.log_id);
    if (name == "incarnation") return read_value(reader, out.incarnation);
    if (name == "head") return read_value(reader, out.head);
    if (name == "log_hash") return read_value(reader, out.log_hash);
    if (name == "oldest") return read_value(reader, out.oldest);
    if (name == "permission_version") return read_value(reader, out.permission_version);
    if (name == "frozen") return read_value(reader, out.frozen);
    if (name == "open_mode") return read_value(reader, out.open_mode);
    if (name == "store") return read_value(reader, out.store);
    if (name == "durability") return read_value(reader, out.durability);
    return read_info_parts(reader, name, out);
  });
  if (!read || out.log_id.is_nil()) return std::nullopt;
  return out;
}

std::optional<VerifyReport> read_verify_answer(std::string_view json) {
  VerifyReport out;
  std::string verdict;
  const bool read = read_text(json, [&](Reader& reader, const std::string& name) {
    if (name == "verdict") return read_value(reader, verdict);
    if (name == "events") return read_value(reader, out.events);
    if (name == "verified") return read_value(reader, out.verified);
    if (name == "redacted") return read_value(reader, out.redacted);
    if (name == "chained") return read_value(reader, out.chained);
    if (name == "unchained") return read_value(reader, out.unchained);
    if (name == "streams") return read_value(reader, out.streams);
    if (name == "head") return read_value(reader, out.head);
    if (name == "log_hash") return read_value(reader, out.log_hash);
    if (name == "finding_count") return read_value(reader, out.finding_count);
    if (name != "findings") return true;
    return read_array(reader, [&] { return read_finding(reader, out.findings); });
  });
  // A report without its verdict or its findings must never be taken for a clean one.
  const bool consistent = (verdict == "clean") == out.clean();
  if (!read || verdict.empty() || !consistent) return std::nullopt;
  return out;
}

}  // namespace annals::wire
