#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "config/render.hpp"

namespace annals::cli {
namespace {

struct Options {
  bool defaults = false;
  bool markdown = false;
};

Outcome<ExitCode> run(Context& context, const Options& options) {
  // These two do not look at the configuration: they are what one reaches for when it is broken.
  if (options.markdown) {
    context.out() << config::markdown();
    return ExitCode::ok;
  }
  if (options.defaults && !context.json()) {
    context.out() << config::default_file();
    return ExitCode::ok;
  }
  if (options.defaults) {
    const auto loaded = config::load({.default_file = {}, .environment = {}, .flags = {}});
    context.out() << config::effective_json(*loaded) << '\n';
    return ExitCode::ok;
  }
  const auto configuration = context.configuration();
  if (!configuration) return std::unexpected(configuration.error());
  context.out() << (context.json() ? config::effective_json(**configuration) + "\n"
                                   : config::effective_toml(**configuration));
  return ExitCode::ok;
}

}  // namespace

void add_config(Program& program) {
  auto options = std::make_shared<Options>();
  auto& command =
      program.command("config", "Show the configuration in force and where each value came from",
                      "  annals config --default > annals.toml",
                      [options](Context& context) { return run(context, *options); });
  command.add_flag("--default", options->defaults,
                   "Print a configuration file with the defaults, explained");
  // For the reference page of the documentation.
  command.add_flag("--markdown", options->markdown)->group("");
}

}  // namespace annals::cli
