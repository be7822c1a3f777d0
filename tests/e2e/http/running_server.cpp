#include "tests/e2e/http/running_server.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace annals::test {

RunningServer::RunningServer(Backend backend, server::ServerOptions options, LogOptions log_options)
    : options_(std::move(options)),
      log_(backend, std::move(log_options)) {
  options_.listen = "127.0.0.1:0";
  options_.threads = 2;
  start();
}

RunningServer::~RunningServer() {
  server_.reset();
}

void RunningServer::start() {
  server_ = std::make_unique<server::Server>(*log_, options_);
  const auto port = server_->start();
  if (!port) throw std::runtime_error(port.error().detail);
  port_ = *port;
}

void RunningServer::restart() {
  server_.reset();
  log_.restart();
  start();
}

HttpResponse RunningServer::request(std::string_view method, std::string_view target,
                                    const HttpClient::Fields& fields, std::string_view body) const {
  HttpClient client{port_};
  return client.request(method, target, fields, body);
}

HttpResponse RunningServer::append(std::string_view json, HttpClient::Fields fields,
                                   std::string_view target) const {
  fields.emplace_back("Content-Type", "application/json");
  return request("POST", target, fields, json);
}

void RunningServer::fill(std::size_t count) {
  while (count > 0) {
    const std::size_t size = std::min<std::size_t>(count, 1000);
    std::vector<NewEvent> events(size);
    for (NewEvent& event : events)
      event.type = "test.filled";
    const auto result = log_->append(log_->local_admin(), std::move(events));
    if (!result) throw std::runtime_error(result.error().detail);
    count -= size;
  }
}

std::string RunningServer::create_key(NewKey key) {
  const auto created = log_->create_key(log_->local_admin(), std::move(key));
  if (!created) throw std::runtime_error(created.error().detail);
  return created->secret;
}

std::string RunningServer::create_key(std::string name, AllowedTypes append, ReadGrants read) {
  NewKey key;
  key.name = std::move(name);
  key.append = std::move(append);
  key.read = std::move(read);
  return create_key(std::move(key));
}

nlohmann::json parsed(const HttpResponse& response) {
  return nlohmann::json::parse(response.body);
}

std::vector<std::uint64_t> seqs(const std::vector<nlohmann::json>& events) {
  std::vector<std::uint64_t> out;
  for (const nlohmann::json& event : events)
    out.push_back(event["seq"]);
  return out;
}

std::vector<nlohmann::json> read_all(const RunningServer& server, std::uint64_t after,
                                     const HttpClient::Fields& fields) {
  HttpClient client{server.port()};
  std::vector<nlohmann::json> events;
  while (true) {
    const auto response =
        client.request("GET", "/v1/events?limit=1000&after=" + std::to_string(after), fields);
    if (response.status != 200) throw std::runtime_error(response.body);
    auto page = parsed(response);
    for (auto& event : page["events"])
      events.push_back(std::move(event));
    after = page["next_after"];
    if (page["caught_up"]) return events;
  }
}

std::string event_json(std::string_view payload, std::string_view more) {
  std::string out = R"({"type":"test.made","payload":)";
  out += payload;
  out += more;
  out += '}';
  return out;
}

}  // namespace annals::test
