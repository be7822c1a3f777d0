#include "testing/server_process.hpp"

#include <chrono>
#include <cstdlib>
#include <stdexcept>

namespace annals::test {

ProcessOptions serve_command(const std::filesystem::path& store,
                             const std::vector<std::string>& arguments) {
  const char* program = std::getenv("ANNALS_BINARY");
  if (program == nullptr) throw std::runtime_error("ANNALS_BINARY is not set");
  ProcessOptions options{.command = {program, "serve", "--store", "sqlite:" + store.string(),
                                     "--listen", "127.0.0.1:0"}};
  options.command.insert(options.command.end(), arguments.begin(), arguments.end());
  // Away from any annals.toml of whoever runs the test.
  options.directory = store.parent_path();
  return options;
}

ServerProcess::ServerProcess(const std::filesystem::path& store,
                             const std::vector<std::string>& arguments)
    : process_(std::make_unique<Process>(serve_command(store, arguments))) {
  const auto line = process_->wait_for_line("http://127.0.0.1:", std::chrono::seconds{60});
  if (!line) throw std::runtime_error(process_->output(Process::Stream::err));
  port_ = static_cast<std::uint16_t>(std::stoi(line->substr(line->rfind(':') + 1)));
}

}  // namespace annals::test
