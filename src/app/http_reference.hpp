#pragma once

namespace annals::cli {
class Program;
}

namespace annals::app {

/// Adds `annals http-reference`, which the help does not show: prints `docs/http-reference.md`.
void add_http_reference(cli::Program& program);

}  // namespace annals::app
