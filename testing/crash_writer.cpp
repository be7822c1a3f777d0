#include "testing/crash_writer.hpp"

#include <stdexcept>
#include <string_view>
#include <utility>

namespace annals::test {

namespace {

/// What a healthy log may answer to what is sent here. Everything else is a fault.
bool expected_refusal(ErrorCode code) {
  return code == ErrorCode::invalid_event || code == ErrorCode::version_conflict ||
         code == ErrorCode::busy;
}

}  // namespace

CrashWriter::CrashWriter(EventLog& log, AppendRecorder& recorder, CrashWriterOptions options)
    : log_(log),
      recorder_(recorder),
      options_(options),
      capability_(log.local_admin()),
      generator_(options.seed, {.streams = 0,
                                .id_percent = 70,
                                .payload_bytes = 300,
                                .edge_percent = 0,
                                .client_msg_ids = false}) {}

void CrashWriter::step() {
  const auto kind = options_.mixed ? generator_.random().below(20) : 0;
  if (kind < 8) {
    append(make_request(1));
  } else if (kind < 13) {
    append(make_request(generator_.random().between(2, 20)));
  } else if (kind < 15) {
    append_expecting();
  } else if (kind == 15) {
    append_invalid();
  } else if (kind == 16) {
    repeat();
  } else if (kind == 17) {
    unit_of_work();
  } else {
    enqueue();
  }
}

CrashWriter::Request CrashWriter::make_request(std::size_t count) {
  Request request;
  Random& random = generator_.random();
  for (std::size_t i = 0; i < count; ++i) {
    NewEvent event = generator_.event();
    // A repeat is recognised by its id alone, so the token is the id where there is one.
    const Uuid token = event.id.value_or(generator_.uuid());
    event.source = to_string(token);
    if (!options_.mixed || random.chance(75)) event.stream = some_stream();
    if (random.chance(10)) event.client_msg_id = to_string(token);
    request.events.push_back(std::move(event));
    request.tokens.push_back(token);
  }
  return request;
}

std::string CrashWriter::some_stream() {
  return "stream-" + std::to_string(generator_.random().below(options_.streams));
}

void CrashWriter::append(Request request, AppendOptions options) {
  const auto number = recorder_.sending(request.tokens);
  const auto answer = log_.append(capability_, request.events, std::move(options));
  record(number, answer);
  if (answer) last_accepted_ = std::move(request);
}

/// Whether the expectation holds depends on what the other threads do meanwhile.
void CrashWriter::append_expecting() {
  Random& random = generator_.random();
  Request request = make_request(random.between(1, 3));
  const std::string stream = some_stream();
  for (auto& event : request.events)
    event.stream = stream;
  const auto head = log_.stream(stream);
  const std::uint64_t version = head ? head->version : 0;
  const ExpectedVersion expected =
      random.pick({ExpectedVersion{ExpectedVersion::Kind::exactly, version},
                   ExpectedVersion{ExpectedVersion::Kind::exactly, version},
                   ExpectedVersion{ExpectedVersion::Kind::exists, 0},
                   ExpectedVersion{ExpectedVersion::Kind::none, 0}});
  AppendOptions options;
  options.expected_versions.emplace(stream, expected);
  append(std::move(request), std::move(options));
}

void CrashWriter::append_invalid() {
  Request request = make_request(3);
  request.events[1].payload = R"({"a":[null]})";
  append(std::move(request));
}

void CrashWriter::repeat() {
  for (const auto& event : last_accepted_.events) {
    if (!event.id) return;
  }
  if (last_accepted_.events.empty()) return;
  append(last_accepted_);
}

void CrashWriter::unit_of_work() {
  Request request = make_request(generator_.random().between(1, 4));
  auto unit = log_.begin(capability_);
  if (!unit) {
    if (!expected_refusal(unit.error().code)) throw std::runtime_error(unit.error().detail);
    return;
  }
  const auto number = recorder_.sending(request.tokens);
  for (auto& event : request.events) {
    if (const auto id = unit->append(event); !id) throw std::runtime_error(id.error().detail);
  }
  if (generator_.random().chance(30)) {
    unit->rollback();
    recorder_.refused(number);
  } else {
    record(number, unit->commit());
  }
}

void CrashWriter::enqueue() {
  Request request = make_request(generator_.random().between(1, 5));
  const auto number = recorder_.sending(request.tokens);
  const auto ids = log_.enqueue(capability_, request.events);
  if (!ids) {
    if (!expected_refusal(ids.error().code)) throw std::runtime_error(ids.error().detail);
    recorder_.refused(number);
    return;
  }
  if (const auto flushed = log_.flush(); !flushed) throw std::runtime_error(flushed.error().detail);
  recorder_.durable(number);
}

void CrashWriter::record(std::uint64_t number, const Result<AppendResult>& answer) {
  recorder_.answered(number, answer);
  if (answer || expected_refusal(answer.error().code)) return;
  throw std::runtime_error(std::string(to_string(answer.error().code)) + ": " +
                           answer.error().detail);
}

}  // namespace annals::test
