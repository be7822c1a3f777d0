#include "cli/program.hpp"

#include <algorithm>
#include <utility>

#include "cli/report.hpp"
#include "cli/version.hpp"

namespace annals::cli {

struct Program::Globals {
  std::string config;
  std::vector<std::string> settings;
  std::vector<config::Assignment> assignments;  ///< By flags that stand for a key.
  bool json = false;
};

namespace {

constexpr auto global_help =
    "Every command takes --store URL or --server URL, --config FILE, --set KEY=VALUE and --json; "
    "see annals --help.";

std::string footer(const std::string& example) {
  return "Example:\n" + example + "\n\n" + global_help;
}

/// How far the command line was understood: the commands so far, and the word that should have been
/// the next one (empty when a command was found, or none was given).
std::pair<std::string, std::string> furthest(const CLI::App& root) {
  std::string where = root.get_name();
  const CLI::App* app = &root;
  for (auto chosen = app->get_subcommands(); !chosen.empty(); chosen = app->get_subcommands()) {
    app = chosen.front();
    where += " " + app->get_name();
  }
  // A word that no command of a group is falls through to the root.
  const auto left = root.remaining(true);
  const bool has_commands = !app->get_subcommands([](const CLI::App*) { return true; }).empty();
  return {where, has_commands && !left.empty() ? left.front() : std::string{}};
}

}  // namespace

Program::Program(Streams& streams, Opener opener, Interrupt& interrupt, config::Sources sources)
    : streams_(streams),
      opener_(std::move(opener)),
      interrupt_(interrupt),
      sources_(std::move(sources)),
      root_(std::make_unique<CLI::App>("A durable event log: append, read, follow, verify, serve.",
                                       "annals")),
      globals_(std::make_unique<Globals>()) {
  root_->fallthrough();
  root_->require_subcommand(1);
  root_->footer(
      "Examples:\n"
      "  annals append --type order.paid --stream order-1 --payload '{\"total\":12}'\n"
      "  annals tail -f\n"
      "  annals serve\n\n"
      "Exit codes: 0 ok, 1 failed, 2 wrong usage, 3 a check found something, 4 could not check.");
  add_global_options();
}

Program::~Program() = default;

void Program::add_global_options() {
  setting_flag(*root_, {"--store", "URL"}, "store", "Where the log is: sqlite:PATH or memory:");
  setting_flag(*root_, {"--server", "URL"}, "client.server",
               "A server instead of a store: http://HOST:PORT or https://HOST:PORT");
  setting_flag(*root_, {"--api-key-file", "FILE"}, "client.api_key_file",
               "File with the key for the server; or ANNALS_CLIENT_API_KEY in the environment");
  setting_flag(*root_, {"--ca-file", "FILE"}, "client.ca_file",
               "Certificates trusted for https instead of the system's");
  root_->add_option("--config", globals_->config, "Configuration file instead of ./annals.toml")
      ->type_name("FILE");
  root_
      ->add_option("--set", globals_->settings,
                   "Set a configuration key; may be repeated (keys: annals config)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  root_->add_flag("--json", globals_->json, "Print JSON, errors included");
  root_->set_version_flag("--version", "annals " + std::string(program_version()));
}

void Program::setting_flag(CLI::App& command, const SettingFlag& flag, const std::string& key,
                           const std::string& description) {
  command
      .add_option_function<std::string>(
          flag.name,
          [this, name = flag.name, key](const std::string& value) {
            globals_->assignments.push_back({key, value, name});
          },
          description)
      ->type_name(flag.value);
}

CLI::App& Program::command(const std::string& name, const std::string& description,
                           const std::string& example, Action action) {
  return command(*root_, name, description, example, std::move(action));
}

CLI::App& Program::command(CLI::App& group, const std::string& name, const std::string& description,
                           const std::string& example, Action action) {
  CLI::App& command = *group.add_subcommand(name, description);
  command.footer(footer(example));
  command.callback([this, action = std::move(action)] { selected_ = action; });
  return command;
}

CLI::App& Program::group(const std::string& name, const std::string& description,
                         const std::string& example) {
  CLI::App& group = *root_->add_subcommand(name, description);
  group.footer(footer(example));
  group.require_subcommand(1);
  return group;
}

Outcome<ExitCode> Program::parse(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return wrong_usage("a command is required", root_->help());
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    root_->parse(std::move(reversed));
    return ExitCode::ok;
  } catch (const CLI::CallForHelp&) {
    streams_.out << root_->help();
  } catch (const CLI::CallForVersion& version) {
    streams_.out << version.what() << '\n';
  } catch (const CLI::ParseError& error) {
    const auto [where, unknown] = furthest(*root_);
    if (!unknown.empty()) {
      return wrong_usage("there is no command '" + where + " " + unknown + "'",
                         "see: " + where + " --help");
    }
    return wrong_usage(error.what(), "see: " + where + " --help");
  }
  selected_ = [](Context&) { return Outcome<ExitCode>(ExitCode::ok); };
  return ExitCode::ok;
}

Outcome<config::Sources> Program::complete_sources() const {
  config::Sources sources = sources_;
  if (!globals_->config.empty()) sources.file = globals_->config;
  for (const auto& setting : globals_->settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return wrong_usage("--set needs KEY=VALUE", "see: annals config");
    }
    sources.flags.push_back({setting.substr(0, equals), setting.substr(equals + 1), "--set"});
  }
  sources.flags.insert(sources.flags.end(), globals_->assignments.begin(),
                       globals_->assignments.end());
  return sources;
}

Outcome<ExitCode> Program::dispatch(const std::vector<std::string>& arguments) {
  if (auto parsed = parse(arguments); !parsed) return parsed;
  auto sources = complete_sources();
  if (!sources) return std::unexpected(std::move(sources.error()));
  Context context(streams_, opener_, interrupt_, std::move(*sources), globals_->json);
  return selected_(context);
}

ExitCode Program::run(const std::vector<std::string>& arguments) {
  const auto outcome = dispatch(arguments);
  if (outcome) return *outcome;
  // A command line that could not be read may still have asked for JSON.
  const bool json = std::ranges::find(arguments, "--json") != arguments.end();
  streams_.err << (json ? failure_json(outcome.error()) : failure_text(outcome.error()));
  return outcome.error().code;
}

}  // namespace annals::cli
