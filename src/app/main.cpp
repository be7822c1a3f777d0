#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "annals/open.hpp"
#include "app/http_reference.hpp"
#include "app/serve.hpp"
#include "app/signals.hpp"
#include "app/terminal.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"

namespace {

/// What could not be printed has not been done, unless its reader did not want to see more.
annals::cli::ExitCode after_output(annals::cli::ExitCode code, int output_error) {
  if (output_error == 0 || output_error == EPIPE) return code;
  std::cerr << "error: cannot write the output: " << std::generic_category().message(output_error)
            << '\n';
  return code == annals::cli::ExitCode::ok ? annals::cli::ExitCode::failed : code;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace annals;
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);
  app::Signals signals;
  const auto terminal = app::look_at_terminal();
  cli::DescriptorBuffer buffer(STDOUT_FILENO);
  std::ostream out(&buffer);
  cli::Streams streams{std::cin,     out,          std::cerr,        terminal.in,
                       terminal.out, terminal.err, terminal.colours, terminal.columns};

  cli::Program program(streams, annals::open, signals,
                       {.environment = config::process_environment()});
  app::add_serve(program);
  cli::add_append(program);
  cli::add_bench(program);
  cli::add_read(program);
  cli::add_tail(program);
  cli::add_show(program);
  cli::add_streams(program);
  cli::add_verify(program);
  cli::add_key(program);
  cli::add_freeze(program);
  cli::add_catalogue(program);
  cli::add_config(program);
  cli::add_version(program);
  app::add_http_reference(program);

  const auto code = program.run(std::vector<std::string>(argv + 1, argv + argc));
  out.flush();
  return static_cast<int>(after_output(code, buffer.error()));
}
