#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "annals/append.hpp"
#include "annals/key.hpp"
#include "server/options.hpp"
#include "server/server.hpp"
#include "testing/http_client.hpp"
#include "testing/test_log.hpp"

namespace annals::test {

/// A log and a server over it on a free port of this machine, in this process.
class RunningServer {
 public:
  explicit RunningServer(Backend backend, server::ServerOptions options = {},
                         LogOptions log_options = {});
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  /// Stops the server, then the log.
  ~RunningServer();

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  EventLog& log() noexcept { return *log_; }
  server::Server& server() noexcept { return *server_; }

  /// A request on a connection of its own.
  HttpResponse request(std::string_view method, std::string_view target,
                       const HttpClient::Fields& fields = {}, std::string_view body = {}) const;

  HttpResponse get(std::string_view target, const HttpClient::Fields& fields = {}) const {
    return request("GET", target, fields);
  }

  /// Posts JSON to `/v1/events`.
  HttpResponse append(std::string_view json, HttpClient::Fields fields = {},
                      std::string_view target = "/v1/events") const;

  /// Appends `count` events directly to the log, in batches.
  void fill(std::size_t count);

  /// Makes `seq` the oldest event kept.
  void keep_from(std::uint64_t seq) { log_.keep_from(seq); }

  /// The size of the write-ahead log of SQLite now, in bytes.
  [[nodiscard]] std::uintmax_t write_ahead_log_bytes() const {
    return std::filesystem::file_size(log_.file().string() + "-wal");
  }

  /// A new key's secret.
  std::string create_key(NewKey key);
  std::string create_key(std::string name, AllowedTypes append, ReadGrants read);

  /// Stops and starts the server, and the store below it, on the same port if it is free still.
  void restart();

 private:
  void start();

  server::ServerOptions options_;
  TestLog log_;
  std::unique_ptr<server::Server> server_;
  std::uint16_t port_ = 0;
};

/// The body of an answer.
nlohmann::json parsed(const HttpResponse& response);

/// Reads pages of `GET /v1/events` from `after` to the head; all events.
std::vector<nlohmann::json> read_all(const RunningServer& server, std::uint64_t after = 0,
                                     const HttpClient::Fields& fields = {});

/// The numbers of events.
std::vector<std::uint64_t> seqs(const std::vector<nlohmann::json>& events);

/// An event of a type of tests, as JSON; `more` is added to its members, beginning with a comma.
std::string event_json(std::string_view payload = "{}", std::string_view more = "");

}  // namespace annals::test
