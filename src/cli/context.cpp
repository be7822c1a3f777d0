#include "cli/context.hpp"

#include <utility>

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

Outcome<std::unique_ptr<EventLog>> Context::open(Place place) {
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
