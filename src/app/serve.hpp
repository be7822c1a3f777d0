#pragma once

namespace annals::cli {
class Program;
}

namespace annals::app {

/// Adds `annals serve`: the server over one log, until SIGINT or SIGTERM.
void add_serve(cli::Program& program);

}  // namespace annals::app
