#include "cli/context.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/local_log.hpp"
#include "cli/remote_log.hpp"

namespace annals::cli {

Context::Context(Streams& streams, const Opener& opener, Interrupt& interrupt,
                 config::Sources sources, bool json)
    : streams_(streams),
      opener_(opener),
      interrupt_(interrupt),
      sources_(std::move(sources)),
      json_(json) {}

Outcome<const config::Configuration*> Context::configuration() {
  if (configuration_) return &*configuration_;
  auto loaded = config::load(sources_);
  if (!loaded) {
    Failure failure;
    failure.error = {ErrorCode::invalid_request, "the configuration is wrong", {}, {}};
    failure.code = ExitCode::usage;
    for (const auto& problem : loaded.error())
      failure.lines.push_back(to_string(problem));
    return std::unexpected(std::move(failure));
  }
  configuration_ = std::move(*loaded);
  return &*configuration_;
}

Outcome<bool> Context::remote() {
  const auto configuration = this->configuration();
  if (!configuration) return std::unexpected(configuration.error());
  if ((*configuration)->settings.client.server.empty()) return false;
  const auto by_flag = [&configuration](std::string_view name) {
    const auto& entries = (*configuration)->entries;
    const auto entry = std::ranges::find_if(
        entries, [name](const config::Entry& each) { return each.key->name == name; });
    return entry != entries.end() && entry->origin.kind == config::Origin::Kind::flag;
  };
  if (!by_flag("store")) return true;
  if (by_flag("client.server")) return wrong_usage("--store and --server exclude each other");
  return false;
}

Outcome<std::unique_ptr<EventLog>> Context::open(Place place) {
  const auto remote = this->remote();
  if (!remote) return std::unexpected(remote.error());
  if (*remote) {
    return wrong_usage("this command works on a store, not through a server",
                       "run it where the store is, with --store URL");
  }
  return open_store(place);
}

Outcome<std::unique_ptr<LogAccess>> Context::access(Place place) {
  const auto remote = this->remote();
  if (!remote) return std::unexpected(remote.error());
  if (*remote) return ask_server();
  auto log = open_store(place);
  if (!log) return std::unexpected(std::move(log.error()));
  return local_access(std::move(*log));
}

Outcome<std::unique_ptr<LogAccess>> Context::ask_server() {
  const auto& settings = configuration_->settings.client;
  ClientOptions options;
  options.url = settings.server;
  options.api_key = settings.api_key;
  options.ca_file = settings.ca_file;
  auto client = Client::create(std::move(options));
  if (!client) return failed(std::move(client.error()), ExitCode::usage);
  return remote_access(std::move(*client), streams_);
}

Outcome<std::unique_ptr<EventLog>> Context::open_store(Place place) {
  const auto configuration = this->configuration();
  if (!configuration) return std::unexpected(configuration.error());
  const auto& settings = (*configuration)->settings;
  OpenOptions options = settings.open;
  options.create = place == Place::create;
  auto log = opener_(settings.store, std::move(options));
  if (log) return std::move(*log);
  Failure failure{std::move(log.error()), ExitCode::failed, {}, {}};
  if (failure.error.code == ErrorCode::not_found) {
    failure.error.detail = "there is no log at " + settings.store;
    failure.hint =
        "'annals append' and 'annals serve' make one; --store sqlite:PATH names another place";
  }
  return std::unexpected(std::move(failure));
}

Result<std::unique_ptr<EventLog>> Context::open_file(const std::filesystem::path& file) {
  return opener_("sqlite:" + file.string(), configuration_.value().settings.open);
}

}  // namespace annals::cli
