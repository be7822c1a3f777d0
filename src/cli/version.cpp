#include "cli/version.hpp"

#include "cli/commands.hpp"
#include "cli/program.hpp"

namespace annals::cli {

std::string_view program_version() noexcept {
  return ANNALS_VERSION;
}

void add_version(Program& program) {
  program.command("version", "Print the version", "  annals version --json",
                  [](Context& context) -> Outcome<ExitCode> {
                    const std::string version(program_version());
                    context.out() << (context.json() ? R"({"version":")" + version + "\"}\n"
                                                     : "annals " + version + "\n");
                    return ExitCode::ok;
                  });
}

}  // namespace annals::cli
