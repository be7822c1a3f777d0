#include "app/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace annals::app {

Terminal look_at_terminal() {
  Terminal terminal;
  terminal.in = ::isatty(STDIN_FILENO) == 1;
  terminal.out = ::isatty(STDOUT_FILENO) == 1;
  terminal.err = ::isatty(STDERR_FILENO) == 1;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  terminal.colours = terminal.out && (no_colour == nullptr || *no_colour == '\0') &&
                     kind != nullptr && std::string_view(kind) != "dumb";
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    terminal.columns = size.ws_col;
  }
  return terminal;
}

}  // namespace annals::app
