#include "tests/crash/http_writer.hpp"

#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "annals/digest.hpp"

namespace annals::test {

namespace {

Uuid random_id(Random& random) {
  Uuid id;
  for (auto& byte : id.bytes)
    byte = static_cast<std::uint8_t>(random.bits() >> 24U);
  return id;
}

Digest digest_of(const nlohmann::json& text) {
  return parse_digest(text.get<std::string>()).value();
}

std::vector<AnsweredPlace> places_of(const nlohmann::json& answer) {
  std::vector<AnsweredPlace> places;
  for (const auto& event : answer.at("events")) {
    AnsweredPlace place{event.at("seq").get<std::uint64_t>(), std::nullopt,
                        digest_of(event.at("hash"))};
    if (event.contains("stream_seq"))
      place.stream_seq = event.at("stream_seq").get<std::uint64_t>();
    places.push_back(place);
  }
  return places;
}

}  // namespace

void Restarts::announce() {
  const std::lock_guard lock(mutex_);
  ++count_;
  changed_.notify_all();
}

std::uint64_t Restarts::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

void Restarts::wait(std::uint64_t seen) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::seconds{1}, [&] { return count_ > seen; });
}

HttpWriter::HttpWriter(std::uint16_t port, AppendRecorder& recorder, const Restarts& restarts,
                       std::uint64_t seed)
    : port_(port),
      recorder_(recorder),
      restarts_(restarts),
      random_(seed) {}

void HttpWriter::append() {
  const Request request = make_request();
  const auto number = recorder_.sending(request.ids);
  while (true) {
    const auto answer = send_once(request.body);
    if (!answer || answer->status == 503) {
      ++repeated_;
      continue;
    }
    if (answer->status != 200 && answer->status != 201) throw std::runtime_error(answer->body);
    const auto body = nlohmann::json::parse(answer->body);
    recorder_.accepted(
        number, places_of(body),
        Receipt{body.at("head").get<std::uint64_t>(), digest_of(body.at("log_hash"))});
    return;
  }
}

HttpWriter::Request HttpWriter::make_request() {
  Request request;
  auto events = nlohmann::json::array();
  const auto count = random_.between(1, 5);
  for (std::uint64_t i = 0; i < count; ++i) {
    request.ids.push_back(random_id(random_));
    nlohmann::json event{{"id", to_string(request.ids.back())},
                         {"type", "order.placed"},
                         {"payload", {{"number", random_.bits()}}}};
    if (random_.chance(75)) event["stream"] = "stream-" + std::to_string(random_.below(16));
    events.push_back(std::move(event));
  }
  request.body = events.dump();
  return request;
}

/// The answer, or nothing when the connection broke before there was one.
std::optional<HttpResponse> HttpWriter::send_once(const std::string& body) {
  const bool kept = connection_.has_value();
  const auto seen = restarts_.count();
  try {
    if (!connection_) connection_.emplace(port_);
    return connection_->request("POST", "/v1/events", {{"Content-Type", "application/json"}}, body);
  } catch (const std::runtime_error&) {
    connection_.reset();
    // A connection from before may have ended with the last server; a new one says that there is
    // none.
    if (!kept) restarts_.wait(seen);
    return std::nullopt;
  }
}

}  // namespace annals::test
