#include "app/serve.hpp"

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "app/server_log.hpp"
#include "app/server_options.hpp"
#include "cli/program.hpp"
#include "cli/version.hpp"
#include "log/ports/exclusive_server.hpp"
#include "log/ports/store.hpp"
#include "server/server.hpp"
#include "wire/text.hpp"

namespace annals::app {
namespace {

using cli::Context;
using cli::ExitCode;
using cli::Outcome;

/// The error that ended delivery, told by a thread of the server.
class Fatal {
 public:
  void set(const Error& error) {
    const std::lock_guard lock(mutex_);
    error_ = error;
  }

  [[nodiscard]] std::optional<Error> get() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Error> error_;
};

/// What a client on this machine types, with the port that was really taken.
std::string base_url(const config::ServerSettings& settings, std::uint16_t port) {
  std::string host = settings.listen.substr(0, settings.listen.rfind(':'));
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "[::]") host = "[::1]";
  return (settings.tls_cert.empty() ? "http://" : "https://") + host + ":" + std::to_string(port);
}

std::string announcement(const std::string& url, const std::string& store, bool open_mode) {
  const std::string key = open_mode ? "" : " -H \"X-API-Key: $ANNALS_KEY\"";
  std::string out =
      "annals " + std::string(cli::program_version()) + " serves " + store + " on " + url + "\n";
  out += open_mode ? "No key exists yet: everybody on this machine may read and append.\n"
                   : "Keys are asked for; the commands below take one from $ANNALS_KEY.\n";
  out += "\nIn a second terminal, follow the log:\n\n  curl -N" + key + " '" + url +
         "/v1/events/stream?after=0'\n";
  out += "\nIn a third, append an event and see it arrive:\n\n  curl" + key + " " + url +
         "/v1/events -H 'Content-Type: application/json' \\\n"
         "    -d '{\"type\":\"order.placed\",\"stream\":\"order-1\",\"payload\":{\"total\":12}}'\n"
         "\nCtrl-C ends the server; nothing that was answered is lost.\n";
  return out;
}

std::string announcement_json(const std::string& url, const std::string& store, bool open_mode) {
  std::string out = "{";
  wire::append_member(out, "listening", url);
  wire::append_name(out, "store");
  wire::append_any_string(out, store);
  wire::append_name(out, "open_mode");
  out += open_mode ? "true" : "false";
  return out + "}\n";
}

/// Takes the store for this server alone where the backend knows such a thing.
Outcome<void> lock_store(EventLog& log) {
  auto* exclusive = dynamic_cast<log::ExclusiveServer*>(&log.store());
  if (exclusive == nullptr) return {};
  auto locked = exclusive->lock_server();
  if (locked) return {};
  cli::Failure failure{std::move(locked.error()), ExitCode::failed, {}, {}};
  failure.hint = "stop the other server, or give this one a store of its own with --store";
  return std::unexpected(std::move(failure));
}

Outcome<ExitCode> serve(Context& context) {
  const auto configuration = context.configuration();
  if (!configuration) return std::unexpected(configuration.error());
  const auto& settings = (*configuration)->settings;
  // A wish to end that comes while the log is being opened is granted afterwards.
  context.interrupt().arm();
  auto log = context.open(cli::Place::create);
  if (!log) return std::unexpected(std::move(log.error()));
  if (auto locked = lock_store(**log); !locked) return std::unexpected(std::move(locked.error()));
  const auto keys = (*log)->keys();
  if (!keys) return cli::failed(keys.error());

  Fatal fatal;
  auto options = server_options(settings.server, std::string(cli::program_version()));
  options.structured_log = settings.logging.format == "json";
  server::Server server(**log, std::move(options), make_server_log(settings.logging),
                        [&](const Error& error) {
                          fatal.set(error);
                          context.interrupt().request();
                        });
  const auto port = server.start();
  if (!port) return cli::failed(port.error());
  const auto url = base_url(settings.server, *port);
  const bool open_mode = keys->empty() && settings.server.jwt_algorithm.empty();
  context.out() << (context.json() ? announcement_json(url, settings.store, open_mode)
                                   : announcement(url, settings.store, open_mode))
                << std::flush;
  context.interrupt().wait();
  server.stop();
  auto stopped = (*log)->stop();
  if (auto error = fatal.get()) return cli::failed(std::move(*error));
  if (!stopped) return cli::failed(std::move(stopped.error()));
  return ExitCode::ok;
}

}  // namespace

void add_serve(cli::Program& program) {
  auto& command =
      program.command("serve", "Serve the log over HTTP and SSE",
                      "  annals serve --store sqlite:annals.db --listen 127.0.0.1:7420", serve);
  program.setting_flag(command, {"--listen", "ADDRESS:PORT"}, "server.listen", "Where to listen");
}

}  // namespace annals::app
