#include "app/http_reference.hpp"

#include "cli/program.hpp"
#include "server/reference.hpp"

namespace annals::app {

void add_http_reference(cli::Program& program) {
  program
      .command("http-reference", "Print docs/http-reference.md",
               "  annals http-reference > docs/http-reference.md",
               [](cli::Context& context) -> cli::Outcome<cli::ExitCode> {
                 context.out() << server::reference_page();
                 return cli::ExitCode::ok;
               })
      .group("");
}

}  // namespace annals::app
