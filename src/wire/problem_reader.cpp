#include "wire/problem_reader.hpp"

#include <string>
#include <utility>

#include "wire/json_values.hpp"
#include "wire/problem.hpp"

namespace annals::wire {

namespace {

using core::json::Reader;

std::optional<ErrorCode> parse_code(std::string_view text) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code) {
    if (to_string(static_cast<ErrorCode>(code)) == text) return static_cast<ErrorCode>(code);
  }
  // The log is there and not far enough yet: the same asked again is answered.
  if (text == to_string(HttpCode::not_reached)) return ErrorCode::busy;
  return std::nullopt;
}

bool read_violation(Reader& reader, std::vector<Violation>& out) {
  Violation violation;
  std::uint64_t index = 0;
  const bool read = read_object(reader, [&](const std::string& name) {
    if (name == "index") return read_value(reader, index);
    if (name == "pointer") return read_value(reader, violation.pointer);
    if (name == "rule") return read_value(reader, violation.rule);
    if (name == "message") return read_value(reader, violation.message);
    return true;
  });
  violation.index = static_cast<std::size_t>(index);
  out.push_back(std::move(violation));
  return read;
}

bool read_stream_version(Reader& reader, std::vector<StreamVersion>& out) {
  StreamVersion stream;
  const bool read = read_object(reader, [&](const std::string& name) {
    if (name == "stream") return read_value(reader, stream.stream);
    if (name == "version") return read_value(reader, stream.version);
    if (name == "head_hash") return read_value(reader, stream.head_hash);
    return true;
  });
  out.push_back(std::move(stream));
  return read;
}

bool read_known_event(Reader& reader, std::vector<KnownEvents::Known>& out) {
  KnownEvents::Known known;
  std::uint64_t index = 0;
  const bool read = read_object(reader, [&](const std::string& name) {
    if (name == "index") return read_value(reader, index);
    if (name == "id") return read_value(reader, known.id);
    if (name == "seq") return read_value(reader, known.seq);
    return true;
  });
  known.index = static_cast<std::size_t>(index);
  out.push_back(known);
  return read;
}

bool read_texts(Reader& reader, std::vector<std::string>& out) {
  return read_array(reader, [&] { return read_value(reader, out.emplace_back()); });
}

bool read_limit(Reader& reader, LimitExceeded& out) {
  return read_object(reader, [&](const std::string& name) {
    if (name == "name") return read_value(reader, out.name);
    if (name == "value") return read_value(reader, out.limit);
    return true;
  });
}

template <typename Value>
Value& made(std::optional<Value>& value) {
  return value ? *value : value.emplace();
}

}  // namespace

bool read_resync_member(Reader& reader, const std::string& name, Resync& out, bool& known) {
  known = true;
  if (name == "reason") return read_value(reader, out.reason);
  if (name == "oldest") return read_value(reader, out.oldest);
  if (name == "head") return read_value(reader, out.head);
  if (name == "lost_from") return read_value(reader, out.lost_from);
  if (name == "lost_to") return read_value(reader, out.lost_to);
  known = false;
  return true;
}

ErrorCode code_of_status(int status) noexcept {
  switch (status) {
    case 401:
      return ErrorCode::not_authenticated;
    case 403:
      return ErrorCode::not_allowed;
    case 404:
      return ErrorCode::not_found;
    case 413:
      return ErrorCode::too_large;
    case 429:
      return ErrorCode::rate_limited;
    case 507:
      return ErrorCode::store_full;
    default:
      // 408 and 5xx, a gateway's too: another attempt may be answered.
      return status == 408 || status >= 500 ? ErrorCode::store_unavailable
                                            : ErrorCode::invalid_request;
  }
}

bool ProblemReader::read(Reader& reader, const std::string& name) {
  if (name == "code") return read_value(reader, code_);
  if (name == "detail") return read_value(reader, detail_);
  if (name == "status") return read_value(reader, status_);
  return read_details(reader, name);
}

bool ProblemReader::read_details(Reader& reader, const std::string& name) {
  if (name == "violations") {
    auto& out = made(invalid_).violations;
    return read_array(reader, [&] { return read_violation(reader, out); });
  }
  if (name == "refused_type") return read_value(reader, made(denied_).refused_type);
  if (name == "allowed_types") return read_texts(reader, made(denied_).allowed_types);
  if (name == "streams") {
    auto& out = made(conflict_).streams;
    return read_array(reader, [&] { return read_stream_version(reader, out); });
  }
  if (name == "events") {
    auto& out = made(known_).events;
    return read_array(reader, [&] { return read_known_event(reader, out); });
  }
  if (name == "limit") return read_limit(reader, made(limit_));
  Resync resync = resync_.value_or(Resync{});
  bool is_resync = false;
  if (!read_resync_member(reader, name, resync, is_resync)) return false;
  if (is_resync) resync_ = std::move(resync);
  return true;
}

std::optional<Error> ProblemReader::error() && {
  if (code_.empty()) return std::nullopt;
  Error error;
  error.code = parse_code(code_).value_or(code_of_status(static_cast<int>(status_)));
  error.detail = detail_.empty() ? code_ : std::move(detail_);
  if (invalid_) error.details = std::move(*invalid_);
  if (denied_) error.details = std::move(*denied_);
  if (conflict_) error.details = std::move(*conflict_);
  if (known_) error.details = std::move(*known_);
  if (resync_) error.details = std::move(*resync_);
  if (limit_) error.details = std::move(*limit_);
  return error;
}

std::optional<Error> read_problem(std::string_view json) {
  Reader reader(json);
  ProblemReader problem;
  const bool read =
      read_object(reader, [&](const std::string& name) { return problem.read(reader, name); });
  if (!read || !reader.finish()) return std::nullopt;
  return std::move(problem).error();
}

}  // namespace annals::wire
