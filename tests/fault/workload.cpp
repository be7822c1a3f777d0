#include "tests/fault/workload.hpp"

#include <stdexcept>
#include <utility>

#include "annals/open.hpp"
#include "log/ports/store.hpp"

namespace annals::test {

namespace {

constexpr auto catalogue = R"({"types":[{"pattern":"order.*","resource_kind":"order"}]})";

std::optional<Error> error_of(const auto& result) {
  if (result) return std::nullopt;
  return result.error();
}

}  // namespace

Workload::Workload(std::filesystem::path file, const std::filesystem::path& journal,
                   std::uint64_t seed)
    : file_(std::move(file)),
      recorder_(journal),
      generator_(seed, {.streams = 0,
                        .id_percent = 100,
                        .payload_bytes = 300,
                        .edge_percent = 0,
                        .client_msg_ids = false}) {
  changes_.key = "key " + to_string(generator_.uuid());
}

Workload::~Workload() = default;

Result<void> Workload::open() {
  auto opened = annals::open("sqlite:" + file_.string(), {.sqlite_disk_reserve = 0});
  note(error_of(opened));
  if (!opened) return std::unexpected(std::move(opened).error());
  log_ = *std::move(opened);
  return {};
}

void Workload::prepare() {
  if (const auto opened = open(); !opened) throw std::runtime_error(opened.error().detail);
  auto unit = log_->begin(log_->local_admin());
  if (!unit) throw std::runtime_error(unit.error().detail);
  const auto made = unit->execute(std::string("CREATE TABLE ") + table + " (token TEXT NOT NULL)");
  if (!made) throw std::runtime_error(made.error().detail);
  if (const auto done = unit->commit(); !done) throw std::runtime_error(done.error().detail);
  const auto sent = send(make_request(5));
  if (!sent) throw std::runtime_error(sent.error().detail);
}

void Workload::run() {
  using Step = void (Workload::*)();
  for (const Step step :
       {&Workload::append_many, &Workload::append_repeated, &Workload::unit_of_work,
        &Workload::create_key, &Workload::checkpoint, &Workload::append_expecting,
        &Workload::append_queued, &Workload::apply_catalogue, &Workload::reopen,
        &Workload::revoke_key, &Workload::append_many, &Workload::unit_of_work}) {
    if (log_) (this->*step)();
  }
}

Workload::Request Workload::make_request(std::size_t count) {
  Request request;
  for (std::size_t i = 0; i < count; ++i) {
    NewEvent event = generator_.event();
    event.source = to_string(*event.id);
    if (i % 4 != 3) event.stream = std::string("stream-") + static_cast<char>('a' + i % 4);
    request.tokens.push_back(*event.id);
    request.events.push_back(std::move(event));
  }
  return request;
}

Result<AppendResult> Workload::send(Request request, AppendOptions options) {
  const auto number = recorder_.sending(request.tokens);
  auto answer = request.in_unit
                    ? send_in_unit(request)
                    : log_->append(log_->local_admin(), request.events, std::move(options));
  return record(number, std::move(request), std::move(answer));
}

Result<AppendResult> Workload::send_in_unit(const Request& request) {
  const auto token = to_string(request.tokens.front());
  changes_.rows.insert(token);
  auto unit = log_->begin(log_->local_admin());
  if (!unit) return std::unexpected(std::move(unit).error());
  const auto row = unit->execute(std::string("INSERT INTO ") + table + " VALUES ($1)", {token});
  if (!row) return std::unexpected(row.error());
  for (const auto& event : request.events) {
    if (auto id = unit->append(event); !id) return std::unexpected(std::move(id).error());
  }
  return unit->commit();
}

Result<AppendResult> Workload::record(std::uint64_t number, Request request,
                                      Result<AppendResult> answer) {
  recorder_.answered(number, answer);
  note(error_of(answer));
  if (answer) {
    last_accepted_ = std::move(request);
  } else {
    unacknowledged_.push_back(std::move(request));
  }
  return answer;
}

Answer Workload::note(const std::optional<Error>& error) {
  if (!error) return Answer::done;
  errors_.emplace(to_string(error->code));
  return error->code == ErrorCode::commit_unknown ? Answer::unknown : Answer::refused;
}

Result<AppendResult> Workload::append_one() {
  return send(make_request(1));
}

Result<void> Workload::repeat_unacknowledged() {
  for (auto& request : std::exchange(unacknowledged_, {})) {
    if (auto sent = send(std::move(request)); !sent) return std::unexpected(sent.error());
  }
  return {};
}

void Workload::append_many() {
  (void)append_one();
  (void)send(make_request(12));
}

void Workload::append_repeated() {
  if (last_accepted_) (void)send(*last_accepted_);
}

void Workload::append_expecting() {
  const auto head = log_->stream("stream-a");
  note(error_of(head));
  if (!head) return;
  AppendOptions options;
  options.expected_versions["stream-a"] = {ExpectedVersion::Kind::exactly, head->version};
  options.idempotency_key = changes_.key;
  (void)send(make_request(2), std::move(options));
}

void Workload::append_queued() {
  auto request = make_request(3);
  const auto number = recorder_.sending(request.tokens);
  const auto ids = log_->enqueue(log_->local_admin(), request.events);
  note(error_of(ids));
  const auto flushed = ids ? log_->flush() : Result<void>();
  note(error_of(flushed));
  if (ids && flushed) {
    recorder_.durable(number);
    return;
  }
  // Without an id it was refused; otherwise it stays queued, and nobody says what becomes of it.
  if (!ids) recorder_.refused(number);
  unacknowledged_.push_back(std::move(request));
}

void Workload::unit_of_work() {
  auto request = make_request(2);
  request.in_unit = true;
  (void)send(std::move(request));
}

void Workload::create_key() {
  NewKey key;
  key.name = changes_.key;
  key.append = {"*"};
  changes_.created = note(error_of(log_->create_key(log_->local_admin(), std::move(key))));
}

void Workload::revoke_key() {
  if (changes_.created != Answer::done) return;
  changes_.revoked = note(error_of(log_->revoke_key(log_->local_admin(), changes_.key)));
}

void Workload::apply_catalogue() {
  changes_.catalogue = note(error_of(log_->apply_catalogue(log_->local_admin(), catalogue)));
}

void Workload::checkpoint() {
  log_->store().maintain(true);
}

void Workload::reopen() {
  close();
  (void)open();
}

}  // namespace annals::test
