#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/context.hpp"

namespace annals::cli {

/// What a command does once its options are read. The returned code is the program's, unless the
/// output cannot be written.
using Action = std::function<Outcome<ExitCode>(Context&)>;

/// A flag that sets a configuration key.
struct SettingFlag {
  std::string name;   ///< `--listen`
  std::string value;  ///< What the help calls its value: `ADDRESS`.
};

/// The command line: global options, commands, and what happens to a failure. The commands are
/// added by the `add_*` functions of `commands.hpp`; the program that wires everything adds its
/// own. Used on one thread.
class Program {
 public:
  /// `sources` gives the environment and the default configuration file; file and flags are added
  /// from the command line. The referred objects outlive it.
  Program(Streams& streams, Opener opener, Interrupt& interrupt, config::Sources sources);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  /// A command of the program. `example` stands at the end of its help.
  CLI::App& command(const std::string& name, const std::string& description,
                    const std::string& example, Action action);

  /// A command that has commands of its own.
  CLI::App& group(const std::string& name, const std::string& description,
                  const std::string& example);

  /// A command of a group.
  CLI::App& command(CLI::App& group, const std::string& name, const std::string& description,
                    const std::string& example, Action action);

  /// A flag of a command that sets a configuration key, like `--set key=value`.
  void setting_flag(CLI::App& command, const SettingFlag& flag, const std::string& key,
                    const std::string& description);

  /// Reads the arguments (without the program's name), runs the command and reports a failure on
  /// standard error: as text, or as JSON with `--json`.
  ExitCode run(const std::vector<std::string>& arguments);

 private:
  struct Globals;

  void add_global_options();
  Outcome<ExitCode> dispatch(const std::vector<std::string>& arguments);
  Outcome<ExitCode> parse(const std::vector<std::string>& arguments);
  Outcome<config::Sources> complete_sources() const;

  Streams& streams_;
  Opener opener_;
  Interrupt& interrupt_;
  config::Sources sources_;
  std::unique_ptr<CLI::App> root_;
  std::unique_ptr<Globals> globals_;
  Action selected_;
};

}  // namespace annals::cli
